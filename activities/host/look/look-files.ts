import { quote } from '../../../core/host/shell.js';

/** The most bytes that are read of a file. */
export const MOST_BYTES = 1024 * 1024;

/** Files that one process is asked for: their paths are its arguments, of which the system takes 2 MiB. */
const AT_ONCE = 400;

/**
 * Part of a look that reads files. A file is read as root if only root can change what leads to it. Any other file is
 * read with the rights of the user who can change it (of the user `nobody`, if several can), so a link shows nothing
 * that its creator cannot see. For each existing file it prints `T INDEX MODE OWNER:GROUP SIZE`. Its content follows
 * after `Y F-INDEX LENGTH`, or in hexadecimal after `U F-INDEX LENGTH` if it is not plain text. The end is `D COUNT`
 * with the number of searched files: without it, an unreported file would count as absent. A path `~NAME/…` is below
 * the home of that account, and `N INDEX PATH` prints it in hexadecimal.
 */
export function fileScript(files: readonly { index: number; path: string }[]): string[] {
  const parts = Array.from({ length: Math.ceil(files.length / AT_ONCE) }, (_, part) =>
    files.slice(part * AT_ONCE, (part + 1) * AT_ONCE),
  );
  return parts.map((part) => `perl -e ${quote(PROGRAM)} ${part.map(({ index, path }) => `${index} ${quote(path)}`).join(' ')}`);
}

/**
 * A Perl program, because every Debian has Perl. The shell would start a process for each question, and ten files
 * would take longer than the rest of a look. It uses no modules, because they load longer than this runs.
 *
 * `way` returns who can change what leads to a folder: a user ID, nothing if only root can, `link` if a link leads
 * there, `none` if nothing does. A separate process reads the files of each other user, so no user delays the files of
 * another. It has only paths in its memory, and changes only its effective IDs, as OpenSSH does to read files in home
 * directories: the user can neither signal nor trace it.
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
