import { sh } from '../../sdk/index.js';

/**
 * Maximum time in seconds until a server that is put back into service passes two checks and gets a new address by
 * DNS.
 */
const UP_WITHIN = 60;

/** The same of one that was down before it was to be taken out: whoever changes something else there is not to fail for it. */
const SEEN_WITHIN = 10;

/**
 * Connects to haproxy, for `sub connected`. The numbers are Linux's for a Unix stream socket. Perl's module with their
 * names takes six times as long to load as everything else, and each look at a host runs this.
 */
const CONNECTED = `sub connected {
  my $socket;
  socket($socket, 1, 1, 0) && connect($socket, pack("S a*", 1, "/run/haproxy/admin.sock\\0")) or return undef;
  syswrite $socket, "$_[0]\\n"; return $socket;
}`;

/**
 * Speaks to the running haproxy by its socket. In Perl, since every Debian has
 * it and no other client of Unix sockets. Status and sessions are the fields 18
 * and 5 of `show stat` (management guide of haproxy 2.6, 9.1).
 */
const PROGRAM = `use strict;
my ($do, $name, $seconds, $port) = @ARGV;
${CONNECTED}
sub ask { my $socket = connected($_[0]) or return undef; local $/; return <$socket> // "" }
sub servers {
  my %found;
  for (split /\\n/, ask("show stat") // "") {
    my @field = split /,/;
    $found{$field[1]} = {sessions => $field[4], status => $field[17]} if @field > 17 && $field[0] eq "servers" && $field[1] ne "BACKEND";
  }
  return \\%found;
}
sub addresses {
  my (%column, %found);
  for (split /\\n/, ask("show servers state servers") // "") {
    my @field = split / /;
    if ($field[0] eq "#") { shift @field; @column{@field} = 0 .. $#field; next }
    $found{$field[$column{srv_name}]} = [@field[$column{srv_addr}, $column{srv_fqdn}]] if %column && @field > 17;
  }
  return \\%found;
}
sub resolved { my ($name) = @_; my @found = gethostbyname($name); return @found > 4 ? join(".", unpack("C4", $found[4])) : undef }
sub set { my $answer = ask("set server servers/$name state $_[0]") // ""; $answer =~ s/\\s+/ /g; die "$name: $answer\\n" if $answer =~ /\\S/; }
sub moved {
  my ($address, $name) = @{addresses()->{$_[0]} // return undef};
  return undef if $name eq "-" || $address !~ /^([0-9.]+|-)$/;
  my $now = resolved($name);
  return defined $now && $now ne $address ? $now : undef;
}
sub pause { select undef, undef, undef, 0.1 }
sub up { $_[0]{status} =~ /^(UP|no check)/ }
sub mark { my $folder = "/run/provisioning-haproxy"; mkdir $folder, 0700; return "$folder/$_[0]" }
my $all = servers();
if ($do eq "list") {
  for (sort keys %$all) {
    print "drained $_\\n" if $all->{$_}{status} =~ /^DRAIN/;
    print "moved $_\\n" if !up($all->{$_}) && defined moved($_);
  }
  exit;
}
my $one = $all->{$name};
if (!$one) { print "haproxy does not run, or passes nothing on to $name\\n"; exit }
if ($do eq "drain" || $do eq "keep") {
  if ($one->{status} =~ /^DOWN/) { open(my $file, ">", mark($name)) or die "$name: $!\\n"; print "$name is down already\\n" }
  else { unlink mark($name) }
  exit if $do eq "keep";
  if (up($one) && !grep { $_ ne $name && up($all->{$_}) } keys %$all) { print "left in service: no other is up\\n"; exit }
  set("drain");
  for (my $left = 10 * $seconds; $left > 0; $left--) {
    if (servers()->{$name}{sessions} == 0) { print "$name is at rest\\n"; exit }
    pause();
  }
  print servers()->{$name}{sessions}, " sessions of $name are still open after $seconds s\\n";
} else {
  my $now = moved($name);
  my $address = $now // (addresses()->{$name} // [])->[0];
  my $to = defined $port ? " port $port" : "";
  if (defined $now || ($to && defined $address && $address =~ /^[0-9a-fA-F.:]+$/)) { print ask("set server servers/$name addr $address$to") }
  set("ready");
  my $was = -e mark($name);
  $seconds = ${SEEN_WITHIN} if $was && $seconds > ${SEEN_WITHIN};
  for (my $left = 10 * $seconds; $left > 0; $left--) { if (up(servers()->{$name})) { unlink mark($name); exit } pause() }
  if ($was) { print "$name is down, as it was before\\n"; exit }
  die "$name is ", servers()->{$name}{status}, " after $seconds s\\n";
}`;

const speak = (words: string): string => `perl - ${words} <<'EOF'\n${PROGRAM}\nEOF`;

/** Takes a server out of service and waits until its requests are answered, or the time is over. The last one that is up stays in. */
export const drainServer = (name: string, seconds: number): string => speak(sh`drain ${name} ${seconds}`);

/** Leaves a server in service, and notes whether it is down: whoever changes it is not to fail for what was so before. */
export const keepServer = (name: string): string => speak(sh`keep ${name}`);

/**
 * Puts a server back and waits until haproxy finds it up; fails where it does not.
 *
 * @param port that it has now: haproxy goes by it until it reads its configuration again
 */
export const readyServer = (name: string, port?: number): string =>
  speak(port === undefined ? sh`ready ${name} ${UP_WITHIN}` : sh`ready ${name} ${UP_WITHIN} ${port}`);

/** Puts a server back without waiting; one that is down then fails nothing. */
export const readyServerNow = (name: string): string => `{ ${speak(sh`ready ${name} 0`)}\n} || true`;

/** Servers behind a running haproxy that need a change. */
export interface BackendChanges {
  /** Servers that were taken out of service on purpose. */
  drained: string[];
  /**
   * Found down, and by another address by now than the one that haproxy goes by. One that is up is well where it is: DNS
   * may know it by another address than `/etc/hosts`.
   */
  moved: string[];
}

/** Asks in one process for all that `readBehind` tells. */
export const LIST_BEHIND = `[ -S /run/haproxy/admin.sock ] || exit 0\n${speak('list')}`;

/** Reads the output of `LIST_BEHIND`. */
export function readBehind(stdout: string): BackendChanges {
  const of = (kind: string) =>
    stdout.split('\n').flatMap((line) => (line.startsWith(`${kind} `) ? [line.slice(kind.length + 1)] : []));
  return { drained: of('drained'), moved: of('moved') };
}

/**
 * Checks that haproxy has checked a server and passes requests to it. A server that is disabled or drained on purpose
 * counts, too. For a server that haproxy has known for a while, the next check counts, which comes every two seconds:
 * the last one may be older than the change. Columns have the names of `show stat` (management guide of haproxy 2.6,
 * 9.1).
 */
const USED = `use strict;
my ($name) = @ARGV;
${CONNECTED}
sub look {
  my $socket = connected("show stat") or die "haproxy does not answer\\n";
  my (%column, %found);
  while (<$socket>) {
    chomp; my @field = split /,/, $_, -1;
    if (s/^# //) { @column{split /,/} = 0 .. $#field; next }
    next unless %column && ($field[0] // "") eq "servers" && $field[$column{svname}] eq $name;
    $found{$_} = $field[$column{$_}] for qw(status lastchg check_status check_code last_chk);
  }
  %found or die "haproxy passes nothing on to $name\\n";
  exit if $found{status} =~ /^(MAINT|DRAIN|no check)/;
  # A star says that the next check is under way.
  $found{check_status} =~ s/^\\* //;
  die "$name is not checked yet\\n" if $found{check_status} !~ /^L/;
  return $found{lastchg} if $found{status} eq "UP";
  die "$name is $found{status}: ", join(" ", grep { length } @found{qw(check_status check_code last_chk)}), "\\n";
}
if (look() >= 10) { select undef, undef, undef, 2.5; look() }`;

/** Fails, and says why, while haproxy does not pass requests on to the server. */
export const serverUsed = (name: string): string => `perl - ${sh`${name}`} <<'EOF'\n${USED}\nEOF`;

/** Prints the state of the backend as a whole: `UP` if it has a server that serves. */
export const BACKEND_UP = `perl - <<'EOF'
use strict;
${CONNECTED}
my $socket = connected("show stat") or die "haproxy does not answer\\n";
while (<$socket>) {
  my @field = split /,/;
  next unless @field > 17 && $field[0] eq "servers" && $field[1] eq "BACKEND";
  print "$field[17]\\n"; exit;
}
EOF`;
