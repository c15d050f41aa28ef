import { type CommandOutput, type Fact, fact, unreachableError } from '../../sdk/index.js';
import { DEFINES_STATE } from './mariadb-cluster.js';
import { MARIADB } from './mariadb-places.js';

/** What a host knows about its member. */
export interface FoundMember {
  /** Identity of the cluster that its data belongs to. */
  group?: string;
  /** Number of its last write. Absent if it is in a cluster, or did not end in order and was not started since. */
  seqno?: number;
  /** Of all members it was the last one that served, as it ended. */
  safe?: true;
  /** Its data has databases. */
  databases?: true;
  /** A transfer of all data to it was cut off. */
  partial?: true;
  /** It gets all data now, or gives it to another one. */
  transfers?: true;
  /** It runs, or is about to. */
  runs: boolean;
  /** It starts, and looks for others again and again until it finds them. It was in no cluster since. */
  waits?: true;
  /** A majority agrees with it, and it takes writes. */
  serves: boolean;
  /** It was taken out of its cluster, and does not come back before a restart. */
  out?: true;
  /** Members that serve, as it knows. */
  size?: number;
  /** What it does, in Galera's words. */
  state?: string;
}

/** Facts of a member of a cluster. */
export type MariadbFacts = { member: Fact<FoundMember> };

const NOTHING: FoundMember = { runs: false, serves: false };

const STATUS = ['cluster_state_uuid', 'cluster_status', 'cluster_size', 'local_state_comment', 'ready'];

/** Bash that defines `status`, which prints what the member of this host says of itself: name and value in a line. */
export const DEFINES_STATUS = `status() {
  timeout 5 ${MARIADB} -e "SHOW GLOBAL STATUS WHERE Variable_name IN (${STATUS.map((name) => `'wsrep_${name}'`).join(', ')})"
}`;

/** Bash that defines `transfers`: whether a transfer of all data runs on this host. */
export const DEFINES_TRANSFERS = `transfers() {
  local all each owner
  all=$(grep -lsz '[w]srep_sst_' /proc/[0-9]*/cmdline) || true
  for each in $all; do
    owner=$(stat -c %U "$each" 2>/dev/null) || continue
    if [ "$owner" = mysql ]; then return 0; fi
  done
  return 1
}`;

/**
 * Asks a host about its member.
 *
 * @param isSingle the server is none: what cannot be read does not matter to it
 */
export const memberFact = (isSingle = false): Fact<FoundMember> =>
  fact(
    `${DEFINES_STATE}
user=0
getent passwd mysql >/dev/null || user=$?
[ "$user" = 0 ] || [ "$user" = 2 ] || exit 1
[ "$user" = 0 ] || exit 0
${isSingle ? 'state 2>/dev/null || true' : ASK_MEMBER}`,
    readMember,
    NOTHING,
  );

const ASK_MEMBER = `${DEFINES_STATUS}
${DEFINES_TRANSFERS}
state || exit 1
if transfers; then echo transfers; fi
active=$(systemctl is-active mariadb || true)
sub=$(systemctl show -p SubState --value mariadb || true)
# It ended, and is to start again.
if [ "$sub" = auto-restart ]; then exit 0; fi
case "$active" in active | activating | reloading | deactivating) echo runs ;; *) exit 0 ;; esac
if [ "$active" = activating ]; then
  echo waits
  start=$(systemctl show -p InvocationID --value mariadb)
  journalctl -o cat -u mariadb "_SYSTEMD_INVOCATION_ID=$start" 2>/dev/null | sed -n 's/^WSREP: Recovered position /recovered: /p' | tail -n 1 || true
fi
status 2>/dev/null || true`;

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const NO_UUID = '00000000-0000-0000-0000-000000000000';

const readUuid = (text: string | undefined): string | undefined =>
  text !== undefined && UUID.test(text) && text !== NO_UUID ? text : undefined;

const readNumber = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;

/**
 * Reads the answer of a host. What has another form does not count.
 *
 * @throws unreachableError if the host could not read it: that is not a member without data
 */
export function readMember({ stdout, exit }: Pick<CommandOutput, 'stdout' | 'exit'>): FoundMember {
  if (exit !== 0)
    throw unreachableError({
      code: 'look-broken',
      what: 'read the member of mariadb',
      why: `its data could not be read (status ${exit})`,
    });
  const lines = stdout.split('\n').map((line) => line.trim());
  const values = new Map<string, string>();
  for (const line of lines) {
    const [, name, value] = /^([a-z_]+)(?:: *|\t)([A-Za-z0-9/:() -]{0,80})$/.exec(line) ?? [];
    if (name !== undefined && value !== undefined && !values.has(name)) values.set(name, value);
  }
  const runs = lines.includes('runs');
  const transfers = lines.includes('transfers');
  const status = values.get('wsrep_cluster_status');
  const state = values.get('wsrep_local_state_comment');
  const current = readUuid(values.get('wsrep_cluster_state_uuid'));
  const isPrimary = runs && status === 'Primary' && current !== undefined;
  // One that gives all data to a new member takes writes meanwhile.
  const serves = isPrimary && values.get('wsrep_ready') === 'ON' && (state === 'Synced' || state === 'Donor/Desynced');
  const group = serves ? current : readUuid(values.get('uuid'));
  const waits = lines.includes('waits') && !serves;
  const [uuid, recovered] = (values.get('recovered') ?? '').split(':');
  const seqno = runs ? (waits && uuid === group ? readNumber(recovered) : undefined) : readNumber(values.get('seqno'));
  const size = serves ? readNumber(values.get('wsrep_cluster_size')) : undefined;
  return {
    ...(group !== undefined && { group }),
    ...(group !== undefined && seqno !== undefined && { seqno }),
    ...(group !== undefined && (!runs || waits) && values.get('safe_to_bootstrap') === '1' && { safe: true as const }),
    ...(lines.includes('databases') && { databases: true as const }),
    ...(lines.includes('partial') && !transfers && { partial: true as const }),
    ...(transfers && { transfers: true as const }),
    ...{ runs, serves },
    ...(waits && { waits: true as const }),
    ...(runs && status === 'Disconnected' && { out: true as const }),
    ...(size !== undefined && { size }),
    ...(runs && state !== undefined && { state }),
  };
}
