import { unreachableError } from '../../../core/errors.js';
import { type CommandOutput, type Fact, fact } from '../../../core/host/facts.js';
import { quote } from '../../../core/host/shell.js';
import { type KeyValueConfig, memberPort, readPassword } from './conf.js';
import { DEFINES_PRIMARY_OF } from './member-program.js';
import type { Places } from './places.js';

/** What sentinel of a host says about the group. */
export interface SentinelView {
  /** Name of the primary's server. */
  primary: string;
  /** How many sentinels have a vote. Those that are lost and not forgotten yet count, too. */
  voters: number;
  /** How many of them it reaches, itself included. */
  usable: number;
  /** Names of the servers of all members that it knows, reached or not. */
  members: string[];
}

/** What a host knows about its member. */
export interface FoundMember {
  /** Identity of the group of its data. */
  group?: string;
  /** Identity as it is noted beside the data. */
  noted?: string;
  /** It has data of the service, of a group or not. */
  data: boolean;
  /** Sentinel's file says who the primary is. */
  knows: boolean;
  /** The server runs. */
  runs: boolean;
  /** By its own word. Absent if it does not answer. */
  role?: 'primary' | 'replica';
  /** It has all data of its primary, and gets its writes. Only of a replica. */
  linked?: boolean;
  /** Name of the server that it follows. Only of a replica. */
  follows?: string;
  /** Sentinel answers. */
  view?: SentinelView;
  /** Its own name, as its configuration says it. */
  name?: string;
}

/** Facts of a member of a group. */
export type MemberFacts = { member: Fact<FoundMember> };

const NOTHING: FoundMember = { data: false, knows: false, runs: false };

/** Name of a function library, which is in the data of all members and in no key of a client. */
export const LIBRARY = 'provisioning_group_';

/**
 * Bash that asks servers and sentinels: `own …`, `at HOST …`, and `tell HOST …` for sentinels. The password is from the file
 * of this host, and in no argument.
 */
export function defineAsks(places: Places, config: Pick<KeyValueConfig, 'port' | 'tls' | 'sentinelPort'>): string {
  const tls = config.tls ? `--tls --cacert ${places.authority}` : '';
  return `${readPassword(places.conf)}
password=
if [ -e ${places.conf} ]; then read_password; fi
export REDISCLI_AUTH="$password"
at() { timeout "\${LIMIT-3}" ${places.cli} -e ${tls} -h "$1" -p ${memberPort(config)} "\${@:2}"; }
tell() { timeout 3 ${places.cli} -e \${FORM-} ${tls} -h "$1" -p ${config.sentinelPort} sentinel "\${@:2}"; }
own() { at 127.0.0.1 "$@"; }
as_user() { (cd / && setpriv --reuid=${places.name} --regid=${places.name} --clear-groups -- "$@"); }`;
}

/**
 * Asks a host about its member. If the data is there and cannot be read, it fails: that is not a member without data.
 */
export const memberFact = (places: Places, config: KeyValueConfig, cluster: string): Fact<FoundMember> =>
  fact(
    `${defineAsks(places, config)}
user=0
getent passwd ${places.name} >/dev/null || user=$?
[ "$user" = 0 ] || [ "$user" = 2 ] || exit 1
[ "$user" = 0 ] || exit 0
as_user bash -c 'set -euo pipefail
if [ -e "$1" ]; then read -r id <"$1"; echo "note $id"; fi
if [ -e "$2/dump.rdb" ] || [ -e "$2/appendonlydir" ]; then echo data; fi
${DEFINES_PRIMARY_OF}
if [ -n "$(primary_of "$3" "$4")" ]; then echo knows; fi' bash ${places.note} ${places.data} ${places.state} ${quote(cluster)} || exit 1
if [ -e ${places.conf} ]; then sed -n 's/^replica-announce-ip /name /p' ${places.conf}; fi
if systemctl is-active -q ${places.sentinel}; then
  for what in master sentinels replicas; do
    echo "$what $(FORM=--json tell 127.0.0.1 "$what" ${quote(cluster)} 2>/dev/null)" || true
  done
fi
systemctl is-active -q ${places.server} || exit 0
echo runs
all=$(own info 2>/dev/null | tr -d '\\r') || exit 0
sed -n 's/^\\(role\\|loading\\|master_host\\|master_link_status\\|master_sync_in_progress\\):/info &/p' <<<"$all"
echo "functions $(own --json function list libraryname '${LIBRARY}*' 2>/dev/null)" || true`,
    readMember,
    NOTHING,
  );

/** Reads JSON of a member. What has another form does not count. */
function parse(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const listRecords = (value: unknown): Record<string, unknown>[] => (Array.isArray(value) ? value.filter(isRecord) : []);

const HOST = /^[A-Za-z0-9][A-Za-z0-9.:-]{0,252}$/;

const asHost = (value: unknown): string | undefined => (typeof value === 'string' ? HOST.exec(value)?.[0] : undefined);

/** Flags of one that a sentinel does not reach. */
const isDown = ({ flags }: Record<string, unknown>): boolean =>
  typeof flags !== 'string' || /(^|,)(s_down|o_down|disconnected)(,|$)/.test(flags);

function readView(after: (word: string) => string | undefined): SentinelView | undefined {
  const master = parse(after('master'));
  const primary = isRecord(master) ? asHost(master.ip) : undefined;
  const sentinels = parse(after('sentinels'));
  if (primary === undefined || !Array.isArray(sentinels)) return undefined;
  const others = listRecords(sentinels);
  const known = [...others, ...listRecords(parse(after('replicas')))].map(({ ip }) => asHost(ip));
  return {
    primary,
    voters: sentinels.length + 1,
    usable: others.filter((one) => !isDown(one)).length + 1,
    members: [...new Set([primary, ...known.filter((one): one is string => one !== undefined)])].slice(0, 100),
  };
}

/** Identity of the data: the name of its library. */
function readIdentity(text: string | undefined): string | undefined {
  const names = listRecords(parse(text)).map(({ library_name: name }) => name);
  // The smallest, if two were made at once.
  const [found] = names.filter((name): name is string => typeof name === 'string' && name.startsWith(LIBRARY)).sort();
  return /^[0-9a-f]{16}$/.exec(found?.slice(LIBRARY.length) ?? '')?.[0];
}

/**
 * Reads the answer of a host.
 *
 * @throws unreachableError if the host could not read it: that is not a member without data
 */
export function readMember({ stdout, exit }: Pick<CommandOutput, 'stdout' | 'exit'>): FoundMember {
  if (exit !== 0)
    throw unreachableError({
      code: 'look-broken',
      what: 'read a member',
      why: `its data could not be read (status ${exit})`,
    });
  const lines = stdout.split('\n');
  const after = (word: string) => lines.find((line) => line.startsWith(`${word} `))?.slice(word.length + 1);
  const says = (key: string) => lines.find((line) => line.startsWith(`info ${key}:`))?.slice(`info ${key}:`.length);
  const noted = /^[0-9a-f]{16}$/.exec(after('note') ?? '')?.[0];
  const group = readIdentity(after('functions')) ?? noted;
  const told = says('role');
  const isLoaded = says('loading') === '0';
  const role = !isLoaded ? undefined : told === 'master' ? 'primary' : told === 'slave' ? 'replica' : undefined;
  const follows = role === 'replica' ? asHost(says('master_host')) : undefined;
  const view = readView(after);
  const name = asHost(after('name'));
  return {
    ...(group !== undefined && { group }),
    ...(noted !== undefined && { noted }),
    ...{ data: lines.includes('data'), knows: lines.includes('knows'), runs: lines.includes('runs') },
    ...(role && { role }),
    ...(role === 'replica' && {
      linked: says('master_link_status') === 'up' && says('master_sync_in_progress') === '0',
    }),
    ...(follows !== undefined && { follows }),
    ...(view && { view }),
    ...(name !== undefined && { name }),
  };
}
