import { type CommandOutput, type Fact, fact, hostPart, unreachableError } from '../../sdk/index.js';
import { type EtcdConfig, TLS } from './etcd-defaults.js';

/** The data of a member, as Debian's unit has it. */
export const DATA = '/var/lib/etcd/default';

/** Marks a member that has no vote yet. Its data does not say so, and it may not run. */
export const JOIN_MARK = '/var/lib/etcd/provisioning-joining';

/** A member as etcd lists it. */
export interface ListEntry {
  /** Hexadecimal. */
  id: string;
  /** Empty until it has started. */
  name: string;
  /** Its addresses for other members, with commas between them. */
  peers: string;
  /** It gets the data and does not decide yet. */
  learner: boolean;
}

/** What a host knows about its member. */
export interface FoundMember {
  /** Identity of the cluster and of the member, from the data. Absent without data. */
  data?: { cluster: string; id: string };
  /** It answers, and a majority agrees with it on a read. */
  serves: boolean;
  leads: boolean;
  /** It was added, and had no vote when it was last worked on. */
  joining: boolean;
  /** All members, as this one knows them. Empty if it does not answer. */
  list: ListEntry[];
}

/** Facts of a member of a cluster. */
export type EtcdFacts = { member: Fact<FoundMember> };

const NOTHING: FoundMember = { serves: false, leads: false, joining: false, list: [] };

/**
 * Perl that prints the identities in the data of a member: of its cluster, and its own. The first file of the log begins
 * with records of a length and a message; the one of type 1 has them. Etcd need not run, and may refuse to. What is not
 * there is empty, but what cannot be read fails: a step would take its data for none.
 */
const READ_IDENTITY = `my $folder = shift() . "/member/wal";
opendir my $names, $folder or exit !$!{ENOENT};
my ($file) = sort grep /[.]wal$/, readdir $names or exit;
open my $log, "<:raw", "$folder/$file" or exit 1;
defined read $log, my $all, 4096 or exit 1;
sub number { my ($text, $at) = @_; my ($value, $shift) = (0, 0);
  while ($$at < length $$text) { my $byte = ord substr $$text, $$at++, 1; $value |= ($byte & 127) << $shift; $shift += 7; return $value if $byte < 128 }
  return $value }
sub fields { my ($text) = @_; my ($at, %found) = (0);
  while ($at < length $text) { my $key = number(\\$text, \\$at); my $value = number(\\$text, \\$at);
    if (($key & 7) == 2) { my $length = $value; $value = substr $text, $at, $length; $at += $length }
    $found{$key >> 3} = $value }
  return %found }
for (my $at = 0; $at + 8 <= length $all;) {
  my $length = unpack "Q<", substr $all, $at, 8;
  my $padding = $length >> 63 ? ($length >> 56) & 7 : 0;
  $length &= (1 << 56) - 1;
  last if !$length || $at + 8 + $length > length $all;
  my %record = fields(substr $all, $at + 8, $length);
  if (($record{1} // 0) == 1) { my %own = fields($record{3} // ""); printf "data %x %x\\n", $own{2} // 0, $own{1} // 0; exit }
  $at += 8 + $length + $padding;
}`;

/** Bash that prints `data CLUSTER ID` of the member of this host, or nothing. It fails if its data cannot be read. */
export const PRINT_IDENTITY = `perl -e '${READ_IDENTITY}' ${DATA}`;

/**
 * Bash that defines `ctl`, which asks by TLS the endpoints that follow, `own`, which asks the member of this host, and
 * `others`, which asks the first of `OTHERS` that a majority agrees with. What names the own certificate has is for others
 * to say.
 */
export const definesCtl = ({ port }: Pick<EtcdConfig, 'port'>): string => `export ETCDCTL_API=3
ctl() { etcdctl --dial-timeout=2s --command-timeout=5s --cert=${TLS.certificate} --key=${TLS.key} "$@"; }
own() { ctl --endpoints=https://127.0.0.1:${port} --insecure-skip-tls-verify "$@"; }
others() {
  local each at=
  for each in $OTHERS; do
    at=$each
    if ctl --cacert=${TLS.authority} --endpoints="$at" --command-timeout=2s endpoint health >/dev/null 2>&1; then break; fi
  done
  ctl --cacert=${TLS.authority} --endpoints="$at" "$@"
}`;

/** The address at which other members reach one. */
export const peerUrl = (address: string, { peerPort }: Pick<EtcdConfig, 'peerPort'>): string =>
  `https://${hostPart(address)}:${peerPort}`;

/**
 * Seconds for each answer. Without a majority a member answers nothing by itself. The platform waits 8 s for all answers of a
 * host, and takes it for silent then: it has to be known that the member is there.
 */
const ANSWER_SECONDS = 2;

/** Asks a host about its member. Nothing more is asked after the first query without an answer. */
export const memberFact = (config: Pick<EtcdConfig, 'port'>): Fact<FoundMember> =>
  fact(
    `${PRINT_IDENTITY} || exit 1
[ ! -e ${JOIN_MARK} ] || echo joining
systemctl is-active -q etcd || exit 0
${definesCtl(config)}
ask() { own --command-timeout=${ANSWER_SECONDS}s "$@" 2>/dev/null; }
list=$(ask member list) || exit 0
sed 's/^/member /' <<<"$list"
status=$(ask endpoint status) || exit 0
echo "status $status"
own --command-timeout=${ANSWER_SECONDS}s endpoint health 2>&1 | grep -c 'is healthy' | sed 's/^/healthy /' || true`,
    readMember,
    NOTHING,
  );

/**
 * Reads the answer of a host. What has another form does not count: it comes from the network.
 *
 * @throws unreachableError if the host could not read it: that is not a member without data
 */
export function readMember({ stdout, exit }: Pick<CommandOutput, 'stdout' | 'exit'>): FoundMember {
  if (exit !== 0)
    throw unreachableError({
      code: 'look-broken',
      what: 'read the member of etcd',
      why: `its data could not be read (status ${exit})`,
    });
  const lines = stdout.split('\n');
  const [, cluster, id] = lines.map((line) => /^data ([0-9a-f]{1,16}) ([0-9a-f]{1,16})$/.exec(line)).find(Boolean) ?? [];
  const list = lines.flatMap((line): ListEntry[] => {
    const found = /^member ([0-9a-f]{1,16}), (started|unstarted), ([A-Za-z0-9.-]*), ([^\s]*), [^\s]*, (true|false)$/.exec(line);
    return found ? [{ id: found[1] ?? '', name: found[3] ?? '', peers: found[4] ?? '', learner: found[5] === 'true' }] : [];
  });
  const status = lines.find((line) => line.startsWith('status '))?.split(', ') ?? [];
  return {
    ...(cluster && id && { data: { cluster, id } }),
    serves: lines.includes('healthy 1'),
    leads: status[4] === 'true',
    joining: lines.includes('joining'),
    list,
  };
}
