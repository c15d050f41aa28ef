import type { Feed } from '../infra/feed.js';
import { type Inventory, type InventoryNetwork, type InventoryServer, isEmpty } from '../infra/inventory.js';
import { collectEnded, findLabelledLife, type Place } from './lives.js';
import { type FoundHost, HostRecords } from './recovered-hosts.js';
import {
  createRecoveryReport,
  type LabelledThings,
  type LeftServer,
  type RecoveredServer,
  type RecoveryReport,
} from './recovery-report.js';

/** Lists the servers of the recovered life that are not recovered. Empty if nothing can be recovered. */
export function listLeftServers(
  place: Place,
  feeds: readonly Feed[],
  labelled: LabelledThings,
  machines: readonly InventoryServer[],
): LeftServer[] {
  return judged({ ...place, ...lifeOf(place, feeds, labelled) }, labelled, machines, collectEnded(feeds)).left;
}

/** The life that labels show, else that which hosts prove. */
function lifeOf(
  place: Place,
  feeds: readonly Feed[],
  { things, records = [] }: LabelledThings,
): { uuid?: string; by?: 'labels' | 'marks' } {
  const labelled = findLabelledLife(place, feeds, things);
  if (labelled !== undefined) return { uuid: labelled, by: 'labels' };
  const uuid = new HostRecords(records, collectEnded(feeds)).provenLife(place);
  return uuid === undefined ? {} : { uuid, by: 'marks' };
}

/** Recovers an infra from labels and marks. Undefined if both show nothing. */
export function recoverWithoutFeed(
  place: Place,
  feeds: readonly Feed[],
  labelled: LabelledThings,
  machines: readonly InventoryServer[],
): { inventory: Inventory; report: RecoveryReport } | undefined {
  const { uuid, by } = lifeOf(place, feeds, labelled);
  if (uuid === undefined || by === undefined) return undefined;
  const scope = { ...place, uuid };
  const { taken, left } = judged(scope, labelled, machines, collectEnded(feeds));
  const inventory = labelledInventory(scope, labelled, [...taken.keys()]);
  if (isEmpty(inventory)) return undefined;
  const report = createRecoveryReport(inventory, by, labelled, left);
  const servers = report.servers.map((one): RecoveredServer => ({ ...one, ...found(taken, one.name) }));
  return { inventory, report: { ...report, servers } };
}

type Taken = Map<InventoryServer, Pick<RecoveredServer, 'by' | 'host'>>;

const found = (taken: Taken, name: string): Partial<RecoveredServer> => {
  const [, how] = [...taken].find(([server]) => server.name === name) ?? [];
  return { ...how, ...(how?.by === 'mark' && { state: 'confirmed' }) };
};

/**
 * Decides which servers are recovered. A labelled server is, unless its host has another owner's mark. An existing
 * machine is only if its host confirms it.
 */
function judged(
  scope: Place & { uuid?: string },
  { servers, records = [] }: LabelledThings,
  machines: readonly InventoryServer[],
  ended: ReadonlySet<string>,
): { taken: Taken; left: LeftServer[] } {
  const said = new HostRecords(records, ended);
  const taken: Taken = new Map();
  const left: LeftServer[] = [];
  for (const { uuid, server } of servers) {
    if (uuid !== scope.uuid) continue;
    const host = said.of(server, scope);
    if (host && isAnothers(host)) left.push({ ...nameOf(server), state: 'contradicted', host });
    else taken.set(server, { by: 'label', ...(host && { host }) });
  }
  for (const machine of machines) {
    const host = said.of(machine, scope);
    if (!host || [...taken.keys()].some(({ name }) => name === machine.name)) continue;
    if (host.says === 'confirmed') taken.set(machine, { by: 'mark', host });
    else left.push({ ...nameOf(machine), state: isAnothers(host) ? 'contradicted' : 'unconfirmed', host });
  }
  return { taken, left };
}

/** Whether a host says that it is not of the life that is brought back. */
const isAnothers = ({ says }: FoundHost): boolean => says === 'contradicted' || says === 'ended';

const nameOf = ({ name, provider }: InventoryServer) => ({ name, provider });

/** As far as labels and marks say. */
function labelledInventory(
  scope: Place & { uuid: string },
  { things }: LabelledThings,
  servers: readonly InventoryServer[],
): Inventory {
  const networks = things
    .filter((one) => one.kind === 'network' && one.scope.uuid === scope.uuid)
    .map(({ name, provider, id, key }): InventoryNetwork => ({ name, provider, id, since: key?.split('/')[0] ?? '' }));
  return { ...scope, servers: byName(servers), networks: byName(networks) };
}

const byName = <T extends { name: string }>(things: readonly T[]): Record<string, T> =>
  Object.fromEntries(things.map((one) => [one.name, one]));
