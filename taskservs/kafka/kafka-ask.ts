import { type CommandOutput, type Fact, fact, unreachableError } from '../../sdk/index.js';
import { ADMINISTER } from './kafka-administer.js';
import { CLUSTER_MARK, CONF, DATA, JOIN_MARK } from './kafka-places.js';

/** A controller with a vote. */
export interface Voter {
  node: number;
  /** Identity of its data. */
  directory: string;
}

/** Identities in the data of a host. */
export interface FoundData {
  cluster: string;
  node: number;
  directory: string;
}

/** What a host knows about its member. */
export interface FoundMember {
  /** Absent without data. */
  data?: FoundData;
  /** It has begun to join, and had no vote when it was last worked on. */
  joining: boolean;
  /** Its data is that of a cluster. */
  clustered?: true;
  /** A majority agrees with it, and it takes clients. */
  serves: boolean;
  leads: boolean;
  /** All members with a vote, as this one knows them. Empty if it does not answer. */
  voters: Voter[];
}

/** Facts of a member. */
export type KafkaFacts = { member: Fact<FoundMember> };

const NOTHING: FoundMember = { joining: false, serves: false, leads: false, voters: [] };

/**
 * What is read as the user of Kafka, in one process. What is not there is empty, but what cannot be read fails: a step
 * would take its data for none.
 */
const READ_OWN = `set -euo pipefail
there() {
  local why
  why=$(LC_ALL=C stat -- "$1" 2>&1) && return
  case "$why" in *"No such file or directory") return 1 ;; *) exit 1 ;; esac
}
value() { sed -n "s/^$1=//p" <<<"$meta"; }
if there ${DATA}/meta.properties; then
  meta=$(head -c 4096 ${DATA}/meta.properties)
  echo "data $(value cluster.id) $(value node.id) $(value directory.id)"
fi
if there ${JOIN_MARK}; then echo joining; fi
if there ${CLUSTER_MARK}; then echo clustered; fi`;

/** Bash that prints the data of this host. Before its first start there may be no user. */
export const PRINT_DATA = `if id -u kafka >/dev/null 2>&1; then (cd / && runuser -u kafka -- bash -c '${READ_OWN}'); fi`;

/** Bash that sets `PLACE`, the identity of the data of this host, or nothing. It fails if that cannot be read. */
export const FIND_PLACE = `own_data=$(${PRINT_DATA}) || exit 1
PLACE=$(awk '$1 == "data" { print $4 }' <<<"$own_data")`;

/** Asks a host about its member, where its present configuration says that it listens. */
export const memberFact = (): Fact<FoundMember> =>
  fact(
    `${PRINT_DATA} || exit 1
systemctl is-active -q kafka || exit 0
${ADMINISTER}
find_ends || exit 0
export -f administer
timeout 6 bash -c 'administer "$@"' bash "$HOW" look "$AT" "$CLIENTS" "$(sed -n 's/^node.id=//p' ${CONF})" 2>/dev/null || true`,
    readMember,
    NOTHING,
  );

const UUID = '[A-Za-z0-9_-]{22}';
const NODE = '[0-9]{1,9}';

/**
 * Reads the answer of a host. What has another form does not count: it comes from the network.
 *
 * @throws unreachableError if the host could not read it: that is not a member without data
 */
export function readMember({ stdout, exit }: Pick<CommandOutput, 'stdout' | 'exit'>): FoundMember {
  if (exit !== 0)
    throw unreachableError({
      code: 'look-broken',
      what: 'read the member of kafka',
      why: `its data could not be read (status ${exit})`,
    });
  const lines = stdout.split('\n').map((line) => line.trim());
  const match = (form: string) => lines.map((line) => new RegExp(`^${form}$`).exec(line)).find(Boolean) ?? [];
  const [, cluster, node, directory] = match(`data (${UUID}) (${NODE}) (${UUID})`);
  const data = cluster && node && directory ? { cluster, node: Number(node), directory } : undefined;
  const voters = lines.flatMap((line): Voter[] => {
    const [, id, place] = new RegExp(`^voter (${NODE}) (${UUID})$`).exec(line) ?? [];
    return id && place ? [{ node: Number(id), directory: place }] : [];
  });
  const isOwn = match(`cluster (${UUID})`)[1] === cluster;
  const votes = voters.some((one) => one.node === data?.node && one.directory === data?.directory);
  const serves = isOwn && votes && lines.includes('majority') && lines.includes('broker');
  return {
    ...(data && { data }),
    ...(data && lines.includes('clustered') && { clustered: true as const }),
    ...{ joining: lines.includes('joining'), serves, leads: serves && Number(match(`leader (${NODE})`)[1]) === data?.node },
    voters: isOwn ? voters : [],
  };
}
