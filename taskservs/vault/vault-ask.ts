import { type CommandOutput, type Fact, fact, unreachableError } from '../../sdk/index.js';
import { ADMINISTER } from './vault-administer.js';
import { DATA, ID } from './vault-places.js';

/** A member as raft lists it. */
export interface Peer {
  id: string;
  votes: boolean;
}

/** What a host knows about its member. */
export interface FoundMember {
  /** Id in its data. Absent before the first start, and for the data of a single server. */
  id?: string;
  /** It has data of a cluster, or of a single server: more than what a start without data makes. */
  full: boolean;
  /** Vault answers. Its members may be at work on being initialized. */
  state: 'silent' | 'new' | 'sealed' | 'unsealed';
  /** Identity of the cluster, once it is unsealed. */
  cluster?: string;
  /** It is unsealed, and a majority agrees with it. */
  serves: boolean;
  leads: boolean;
  /** The others have removed it, as it knows. */
  removed?: true;
  /** All members. Absent without a token that may read them. */
  peers?: Peer[];
  /** How many members stay when the cluster takes out lost ones. Absent if it does not do that. */
  tidies?: number;
}

/** Facts of a member. */
export type VaultFacts = { member: Fact<FoundMember> };

const NOTHING: FoundMember = { full: false, state: 'silent', serves: false, leads: false };

/** Bytes up to which the store is searched. An empty one has 16 MiB. */
const SEARCHED = 64 * 2 ** 20;

/**
 * What is read as the user of vault, in one process. What is not there is empty, but what cannot be read fails: a step would
 * take its data for none. Data without a key ring is what a start makes that has not joined yet.
 */
const READ_OWN = `set -euo pipefail
there() {
  local why
  why=$(LC_ALL=C stat -- "$1" 2>&1) && return
  case "$why" in *"No such file or directory") return 1 ;; *) exit 1 ;; esac
}
if there ${DATA}/node-id; then echo "id $(head -c 200 ${DATA}/node-id)"; fi
if there ${DATA}/vault.db; then
  size=$(stat -c %s ${DATA}/vault.db) code=0
  if [ "$size" -le ${SEARCHED} ]; then grep -aqF core/keyring ${DATA}/vault.db || code=$?; fi
  case $code in 0) echo full ;; 1) ;; *) exit 1 ;; esac
fi`;

/** Bash that prints the data of this host. Before its first start there may be no user. */
export const PRINT_DATA = `if id -u vault >/dev/null 2>&1; then (cd / && runuser -u vault -- bash -c '${READ_OWN}'); fi`;

/** Bash that sets `ID`, that of the data of this host, or nothing. It fails if that cannot be read. */
export const FIND_ID = `own_data=$(${PRINT_DATA}) || exit 1
ID=$(sed -n 's/^id //p' <<<"$own_data")`;

/** Asks a host about its member, where its present configuration says that it listens. */
export const memberFact = (): Fact<FoundMember> =>
  fact(
    `${PRINT_DATA} || exit 1
systemctl is-active -q vault || exit 0
${ADMINISTER}
find_ends || exit 0
export -f administer
timeout 6 bash -c 'administer "$@"' bash look "$AT" "$NAME" 2>/dev/null || true`,
    readMember,
    NOTHING,
  );

/** Reads JSON of a member. What has another form does not count. */
function parse(text: string | undefined): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function readPeers(text: string | undefined): Peer[] | undefined {
  const listed = parse(text);
  if (!Array.isArray(listed) || listed.length === 0) return undefined;
  const peers = (listed as { node_id?: unknown; voter?: unknown }[]).flatMap((one): Peer[] =>
    typeof one?.node_id === 'string' && /^[A-Za-z0-9.-]{1,100}$/.test(one.node_id)
      ? [{ id: one.node_id, votes: one.voter === true }]
      : [],
  );
  return peers.length === listed.length ? peers : undefined;
}

function readTidies(text: string | undefined): number | undefined {
  const { cleanup_dead_servers: cleans, min_quorum: least } = parse(text);
  return cleans === true && Number.isSafeInteger(least) ? (least as number) : undefined;
}

const stateOf = ({ initialized, sealed }: Record<string, unknown>): FoundMember['state'] => {
  if (typeof sealed !== 'boolean') return 'silent';
  if (initialized !== true) return 'new';
  return sealed ? 'sealed' : 'unsealed';
};

/**
 * Reads the answer of a host. What has another form does not count: it comes from the network.
 *
 * @throws unreachableError if the host could not read it: that is not a member without data
 */
export function readMember({ stdout, exit }: Pick<CommandOutput, 'stdout' | 'exit'>): FoundMember {
  if (exit !== 0)
    throw unreachableError({
      code: 'look-broken',
      what: 'read the member of vault',
      why: `its data could not be read (status ${exit})`,
    });
  const lines = stdout.split('\n').map((line) => line.trim());
  const after = (word: string) => lines.find((line) => line.startsWith(`${word} `))?.slice(word.length + 1);
  const id = ID.exec(after('id') ?? '')?.[0];
  const status = parse(after('status'));
  const state = stateOf(status);
  const lead = parse(after('leader'));
  const peers = readPeers(after('peers'));
  const tidies = readTidies(after('autopilot'));
  const { cluster_id: known } = status;
  const cluster = typeof known === 'string' && /^[0-9a-f-]{36}$/.test(known) ? known : undefined;
  const agrees = typeof lead.leader_address === 'string' && lead.leader_address !== '';
  const votes = peers === undefined || peers.some((peer) => peer.id === id && peer.votes);
  const serves = id !== undefined && state === 'unsealed' && cluster !== undefined && agrees && votes;
  return {
    ...(id && { id }),
    ...{ full: lines.includes('full') && state !== 'new', state },
    ...(cluster && { cluster }),
    ...{ serves, leads: serves && lead.is_self === true },
    ...(status.removed_from_cluster === true && { removed: true as const }),
    ...(peers && { peers }),
    ...(tidies !== undefined && { tidies }),
  };
}
