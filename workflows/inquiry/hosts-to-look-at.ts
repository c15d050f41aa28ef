import type { HostToLookAt } from '../../activities/service/look-at-hosts.js';
import type { ServerSpec, TaskservSpec } from '../../core/definition/definition.js';
import { peersFor, peersOf } from '../../core/definition/peers.js';
import { namesFor, refersToItself } from '../../core/host/host-names.js';
import type { Inventory, InventoryServer, InventoryService } from '../../core/infra/inventory.js';
import type { Peer } from '../../core/taskserv/taskserv.js';
import { describeGroups } from '../runbook/grouped-hosts.js';
import { volumesOf } from '../runbook/host-volumes.js';

interface Narrowed {
  servers?: readonly string[];
  taskservs?: readonly string[];
}

/**
 * Running hosts of an infra with their goals, from the last applied definition and from the record.
 *
 * @param narrowed absent: all of them, with the names and volumes of each host
 */
export function hostsToLookAt(inventory: Inventory, { servers, taskservs }: Narrowed): HostToLookAt[] {
  const { definition } = inventory;
  const wanted = new Map(definition?.servers.map((spec) => [spec.name, spec]));
  const all = definition ? peersOf(definition) : [];
  const named = new Set(servers);
  const isMeant = ({ name }: InventoryServer) => servers === undefined || named.has(name);
  const running = Object.values(inventory.servers).filter((server) => isMeant(server) && !server.stopped);
  return running.sort(byName).map((server): HostToLookAt => {
    const { name, provider, connection } = server;
    const spec = wanted.get(name);
    const { role, plan, host } = spec ?? server.spec;
    const there = servicesOf(server, spec);
    const ensure = taskservs ? there.filter((one) => taskservs.includes(one.name)) : there;
    const peers = peersFor(all, [name], ensure);
    const itself = taskservs ? {} : aboutHost(inventory, server, spec, peers);
    const planned = { name, role, plan, provider, ...(host ? { existing: true as const } : {}) };
    const groups = definition ? describeGroups(inventory, definition, ensure) : {};
    return { server: planned, connection, ensure, peers, ...itself, ...groups };
  });
}

const byName = (a: InventoryServer, b: InventoryServer): number => (a.name < b.name ? -1 : 1);

function servicesOf({ services }: InventoryServer, spec: ServerSpec | undefined): TaskservSpec[] {
  const wanted = spec?.taskservs ?? [];
  const names = new Set(wanted.map(({ name }) => name));
  const beside = Object.values(services).filter(({ taskserv }) => !names.has(taskserv));
  return [...wanted, ...beside.map(asRecorded)];
}

/** A service that is not in the definition, as it was installed. Its endpoints are not recorded. */
const asRecorded = ({ taskserv, version, config, module }: InventoryService): TaskservSpec => ({
  name: taskserv,
  version,
  config,
  endpoints: [],
  after: [],
  ...(module !== undefined && { module }),
});

/** Questions about the host itself. */
function aboutHost(inventory: Inventory, server: InventoryServer, spec: ServerSpec | undefined, peers: readonly Peer[]) {
  const others = new Set(peers.map((peer) => peer.server));
  const names = namesFor(server.name, others, inventory, refersToItself(server.name, spec?.taskservs ?? []));
  const volumes = spec ? volumesOf(spec, server, { action: 'noop' }) : [];
  return { ...(names && { names }), ...(volumes.length > 0 && { volumes }) };
}
