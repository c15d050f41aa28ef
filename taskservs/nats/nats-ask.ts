import { type CommandOutput, type Fact, fact, sha256, unreachableError } from '../../sdk/index.js';

/** Where the list of members, and all streams, are kept. Belongs to the user of nats. */
export const DATA = '/var/lib/nats/jetstream';

/** What a host knows about its member. */
export interface FoundMember {
  /** Name of the cluster, if its data has been agreed on by a majority once. */
  cluster?: string;
  /** It has such data, and no configuration that says of which cluster: the service was removed, and its data was left. */
  orphan?: true;
  /** It runs. */
  runs: boolean;
  /** A majority agrees with it, and its streams are up to date. */
  serves: boolean;
  leads: boolean;
  /** How many members have a vote, as it knows. */
  voters?: number;
  /** Ids of all members. Only the leader knows them. Absent unless they are as many as have a vote. */
  peers?: string[];
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

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** The id of a member, which NATS derives from the name of its server. */
export const peerId = (server: string): string =>
  (sha256(server).match(/../g) ?? [])
    .slice(0, 8)
    .map((byte) => DIGITS[Number.parseInt(byte, 16) % DIGITS.length])
    .join('');

/** Bash that prints a file if a majority has agreed on the data of this host once. Fails if the data cannot be read. */
const FIND_DATA = `cd / && runuser -u nats -- find ${DATA} -ignore_readdir_race -path '*/streams' -prune -o -type f -size +0 \\
    \\( -path '${DATA}/*/_js_/_meta_/msgs/*.blk' -o -path '${DATA}/*/_js_/_meta_/snapshots/*' \\) -print -quit`;

/**
 * Asks a host about its member. If the data or the configuration is there and cannot be read, it fails: that is not a
 * member without data.
 */
export const memberFact = (port: number): Fact<FoundMember> =>
  fact(
    `conf= data= user=0
if [ -e /etc/nats-server.conf ]; then conf=$(cat /etc/nats-server.conf) || exit 1; fi
getent passwd nats >/dev/null || user=$?
[ "$user" = 0 ] || [ "$user" = 2 ] || exit 1
if [ "$user" = 0 ] && [ -e ${DATA} ]; then data=$(${FIND_DATA}) || exit 1; fi
if [ -n "$data" ]; then
  data=$(sed -n 's/^  name: "\\([a-z0-9-]*\\)", listen: .*/data \\1/p' <<<"$conf")
  echo "\${data:-orphan}"
fi
systemctl is-active -q nats-server || exit 0
echo runs
sed -n 's/^server_name: /name /p' <<<"$conf"
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

const ID = /^[A-Za-z0-9]{8}$/;

/**
 * Reads the answer of a host.
 *
 * @throws unreachableError if the host could not read it: that is not a member without data
 */
export function readMember({ stdout, exit }: Pick<CommandOutput, 'stdout' | 'exit'>): FoundMember {
  if (exit !== 0)
    throw unreachableError({
      code: 'look-broken',
      what: 'read the member of nats',
      why: `its data could not be read (status ${exit})`,
    });
  const lines = stdout.split('\n');
  const after = (word: string) => lines.find((line) => line.startsWith(`${word} `))?.slice(word.length + 1);
  const health = parse(after('health'));
  const meta = (parse(after('jsz')).meta_cluster ?? {}) as Record<string, unknown>;
  const cluster = /^[a-z][a-z0-9-]{0,39}$/.exec(after('data') ?? '')?.[0];
  const leader = typeof meta.leader === 'string' && NAME.test(meta.leader) ? meta.leader : undefined;
  const serves = health.status === 'ok' && leader !== undefined && cluster !== undefined;
  const leads = serves && JSON.stringify(leader) === after('name');
  const { cluster_size: size } = meta;
  const replicas = Array.isArray(meta.replicas) ? (meta.replicas as { peer?: unknown }[]) : [];
  const ids = [meta.peer, ...replicas.map((replica) => replica?.peer)].filter(
    (id): id is string => typeof id === 'string' && ID.test(id),
  );
  // A leader may not know of all since its own start.
  const isWhole = new Set(ids).size === size && ids.length === replicas.length + 1;
  return {
    ...(cluster && { cluster }),
    ...(!cluster && lines.includes('orphan') && { orphan: true as const }),
    ...{ runs: lines.includes('runs'), serves, leads },
    ...(serves && Number.isSafeInteger(size) && { voters: size as number }),
    ...(leads && isWhole && { peers: ids }),
    ...(!serves && typeof health.error === 'string' && { why: health.error.slice(0, 200) }),
  };
}
