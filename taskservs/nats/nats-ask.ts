import { type CommandOutput, type Fact, fact } from '../../sdk/index.js';

/** Where the list of members, and all streams, are kept. Belongs to the user of nats. */
export const DATA = '/var/lib/nats/jetstream';

/** What a host knows about its member. */
export interface FoundMember {
  /** Name of the cluster, if its data has been agreed on by a majority once. */
  cluster?: string;
  /** It runs. */
  runs: boolean;
  /** A majority agrees with it, and its streams are up to date. */
  serves: boolean;
  leads: boolean;
  /** How many members have a vote, as it knows. */
  voters?: number;
  /** Names of all members. Only the leader knows them. */
  list?: string[];
  why?: string;
}

/** Facts of a member of a cluster. */
export type NatsFacts = { member: Fact<FoundMember> };

const NOTHING: FoundMember = { runs: false, serves: false, leads: false };

/** Bash that defines `get PATH`, which prints a page of the server of this host in one line. */
export const definesGet = (port: number): string => `get() {
  { exec 3<>/dev/tcp/127.0.0.1/${port}; } 2>/dev/null || return 1
  printf 'GET %s HTTP/1.0\\r\\n\\r\\n' "$1" >&3
  timeout 3 sed '1,/^\\r*$/d' <&3 | tr -d '\\n'
  exec 3>&-
}`;

/** Bash that succeeds if a majority has agreed on the data of this host once. */
const HAS_DATA = `(cd / && runuser -u nats -- bash -c 'shopt -s globstar nullglob
for one in ${DATA}/*/_js_/_meta_/msgs/*.blk ${DATA}/*/_js_/_meta_/snapshots/*; do [ ! -s "$one" ] || exit 0; done
exit 1') 2>/dev/null`;

/** Asks a host about its member. */
export const memberFact = (port: number): Fact<FoundMember> =>
  fact(
    `if ${HAS_DATA}; then sed -n 's/^  name: "\\([a-z0-9-]*\\)", listen: .*/data \\1/p' /etc/nats-server.conf 2>/dev/null || true; fi
systemctl is-active -q nats-server || exit 0
echo runs
sed -n 's/^server_name: /name /p' /etc/nats-server.conf
${definesGet(port)}
echo "health $(get /healthz)"
echo "jsz $(get /jsz)"`,
    readMember,
    NOTHING,
  );

/** Reads JSON of a server. What has another form does not count. */
function parse(text: string | undefined): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9.-]{0,252}$/;

/** Reads the answer of a host. */
export function readMember({ stdout }: Pick<CommandOutput, 'stdout'>): FoundMember {
  const lines = stdout.split('\n');
  const after = (word: string) => lines.find((line) => line.startsWith(`${word} `))?.slice(word.length + 1);
  const health = parse(after('health'));
  const meta = (parse(after('jsz')).meta_cluster ?? {}) as Record<string, unknown>;
  const cluster = /^[a-z][a-z0-9-]{0,39}$/.exec(after('data') ?? '')?.[0];
  const leader = typeof meta.leader === 'string' && NAME.test(meta.leader) ? meta.leader : undefined;
  const serves = health.status === 'ok' && leader !== undefined && cluster !== undefined;
  const leads = serves && JSON.stringify(leader) === after('name');
  const replicas = Array.isArray(meta.replicas) ? (meta.replicas as { name?: unknown }[]) : [];
  const names = replicas.flatMap(({ name }) => (typeof name === 'string' && NAME.test(name) ? [name] : []));
  const { cluster_size: size } = meta;
  return {
    ...(cluster && { cluster }),
    ...{ runs: lines.includes('runs'), serves, leads },
    ...(serves && Number.isSafeInteger(size) && { voters: size as number }),
    ...(leads && { list: [leader, ...names] }),
    ...(!serves && typeof health.error === 'string' && { why: health.error.slice(0, 200) }),
  };
}
