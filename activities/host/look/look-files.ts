import { quote } from '../../../core/host/shell.js';

/** The most bytes that are read of a file. */
export const MOST_BYTES = 1024 * 1024;

/** Files that one process is asked for: their paths are its arguments, of which the system takes 2 MiB. */
const AT_ONCE = 400;

/**
 * The part of a look that reads files. Where only root can change what leads to a file, it is read as it is. Any other
 * is read with the rights of whoever can change it (of user `nobody`, if that is more than one user), so that a link shows
 * nothing that its maker cannot see. Of each file that is there it prints `T INDEX MODE OWNER:GROUP SIZE`, and its
 * content behind `Y F-INDEX LENGTH`, or behind `U F-INDEX LENGTH` in hexadecimal where it is more than plain text. At
 * its end comes `D COUNT`, how many files it looked for: without it, one that is not told would count as absent.
 * A path `~NAME/…` is looked for below the home of that account, and `N INDEX PATH` gives it in hexadecimal.
 */
export function fileScript(files: readonly { index: number; path: string }[]): string[] {
  const parts = Array.from({ length: Math.ceil(files.length / AT_ONCE) }, (_, part) =>
    files.slice(part * AT_ONCE, (part + 1) * AT_ONCE),
  );
  return parts.map((part) => `perl -e ${quote(PROGRAM)} ${part.map(({ index, path }) => `${index} ${quote(path)}`).join(' ')}`);
}

/**
 * In Perl, which every Debian has: the shell would start a process for each question, and ten files take it longer than
 * all else of a look. Without modules, which take longer to load than this takes to run.
 *
 * `way` says who can change what leads to a folder: a user ID, nothing where only root can, `link` where a link leads
 * there, `none` where nothing does. The files of each other user are read by a process of their own, so that no user
 * delays the files of another. It has nothing but paths in its memory, and changes its effective IDs only, as OpenSSH does to read
 * files in home directories: the user can neither signal nor trace it.
 */
const PROGRAM = String.raw`use strict; no warnings;
binmode STDOUT;
my (%seen, %names, %asked, @plain, @readers);
my $count = @ARGV / 2;
sub way {
  my ($folder, $sticky) = ("", 0);
  for my $name ("", grep { length } split m{/}, $_[0]) {
    $folder = $name eq "" ? "/" : $folder eq "/" ? "/$name" : "$folder/$name";
    my $seen = $seen{$folder} //= [lstat $folder];
    my ($mode, $uid) = @$seen[2, 4];
    return "none" unless defined $mode;
    return $sticky ? 65534 : "link" if ($mode & 0170000) == 0120000;
    return $uid if $uid != 0 && $uid != $>;
    return 65534 if $mode & 022 && !($mode & 01000);
    $sticky = $mode & 022;
  }
  return $sticky ? 65534 : "";
}
sub folder_of { my ($folder) = $_[0] =~ m{^(.*)/}s; return $folder }
sub content { my $content = ""; read $_[0], $content, ${MOST_BYTES + 1}; return $content }
sub name { my ($id, $kind) = @_; return $names{"$kind$id"} //= ($kind eq "u" ? getpwuid $id : getgrgid $id) // "UNKNOWN" }
sub report {
  my ($index, $mode, $uid, $gid, $size, $content) = @_;
  printf "T %s %o %s:%s %s\n", $index, $mode & 07777, name($uid, "u"), name($gid, "g"), $size;
  my $plain = $content =~ /^[\t-\r -~]*\z/;
  $content = unpack "H*", $content unless $plain;
  print $plain ? "Y" : "U", " F-$index ", length $content, "\n", $content, "\n";
}
while (my ($index, $path) = splice @ARGV, 0, 2) {
  if ($path =~ m{^~([^/]+)(/.*)}s) {
    my ($name, $rest) = ($1, $2);
    my $home = (getpwnam $name)[7] // "";
    next unless $home =~ m{^/};
    $path = $home =~ s{/+\z}{}r . $rest;
    print "N $index ", unpack("H*", $path), "\n";
  }
  my $who = way(folder_of($path));
  next if $who eq "none";
  if ($who eq "" && !-l $path) { push @plain, [$index, $path]; next }
  if ($who eq "" || $who eq "link") {
    # A link of root: what it leads to is looked at in the same way.
    open my $link, "-|", "readlink", "-e", "--", $path or next;
    local $/; $path = <$link> // ""; close $link; chop $path;
    next if $path eq "";
    $who = way(folder_of($path));
    next if $who eq "none" || $who eq "link";
    $who = "root" if $who eq "";
  }
  # What several users can change is read file by file: none of them delays another's.
  push @{$asked{$who eq "65534" ? "$who $index" : $who}}, [$index, $path];
}
for my $who (keys %asked) {
  my $uid = $who =~ s/ .*//r;
  pipe my $from, my $to or next;
  my $pid = fork // next;
  if ($pid) { close $to; push @readers, $from; next }
  $SIG{ALRM} = "DEFAULT"; alarm 5;
  if ($> == 0 && $uid ne "root") {
    my $gid = (getpwuid $uid)[3] // 65534;
    $) = "$gid $gid"; $> = $uid;
    exit 1 if $> != $uid || $) ne "$gid $gid";
  }
  my $found = "";
  for (@{$asked{$who}}) {
    my ($index, $path) = @$_;
    my $name = "./" . $path =~ s{.*/}{}sr;
    chdir folder_of($path) . "/" or next;
    next unless $uid eq "root" || $uid eq "65534" || -o ".";
    next unless -f $name && open my $in, "<", $name;
    my @is = stat $in;
    my $content = content($in);
    $found .= join(" ", $index, @is[2, 4, 5, 7], length $content) . "\n$content";
  }
  # All is read. To hand it over may take longer: the others come first.
  alarm 0;
  print $to $found;
  exit;
}
for (@plain) {
  my ($index, $path) = @$_;
  next unless -f $path && open my $in, "<", $path;
  report($index, (stat $in)[2, 4, 5, 7], content($in));
}
for my $from (@readers) {
  while (defined(my $head = <$from>)) {
    my ($index, @is) = split " ", $head;
    my $length = pop @is;
    my $content = "";
    last if $length > 0 && read($from, $content, $length) != $length;
    report($index, @is, $content);
  }
}
print "D $count\n";`;
