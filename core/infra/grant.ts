import type { Definition, ServerSpec } from '../definition/definition.js';
import { findGroups, type JoinedGroups, nameGroup, uniteGroups } from '../definition/group-members.js';
import { drainersAmong, peersFor, peersOf } from '../definition/peers.js';
import { quickHash } from '../encoding/hash.js';
import { type Packable, pack, unpackIfPacked } from '../encoding/pack.js';
import type { LockNeeds, OperationRequest } from '../operation/operation.js';
import type { Peer } from '../taskserv/taskserv.js';
import type { Inventory } from './inventory.js';
import type { Grant } from './lock.js';

/** Inventories of more than this many servers and peers travel packed; smaller ones stay readable in history. */
const READABLE = 20;

/** Lookup data of a definition, made once for each definition. */
interface Known {
  hash: string;
  servers: Map<string, ServerSpec>;
  peers: Peer[];
  /** Servers with something that stands in front of others. */
  balancers: ServerSpec[];
}

const known = new WeakMap<Definition, Known>();

function about(definition: Definition): Known {
  let found = known.get(definition);
  if (!found) {
    found = {
      hash: quickHash(JSON.stringify(definition)),
      servers: new Map(definition.servers.map((server) => [server.name, server])),
      peers: peersOf(definition),
      balancers: definition.servers.filter(({ taskservs }) => taskservs.some(({ drains }) => drains)),
    };
    known.set(definition, found);
  }
  return found;
}

/** Tells one definition from another. */
export const hashOf = (definition: Definition): string => about(definition).hash;

/** The server of this name, as a definition says it. */
export const specOf = (definition: Definition, name: string): ServerSpec | undefined => about(definition).servers.get(name);

/** Its servers with something that stands in front of others. */
export const balancersOf = (definition: Definition): readonly ServerSpec[] => about(definition).balancers;

/** Creates the grant for an operation, with the needed part of the inventory. */
export function grantFor(grant: number, inventory: Inventory, needs: LockNeeds = {}): Grant {
  const excerpt = excerptOf(inventory, needs);
  const same = needs.own !== undefined && inventory.definition !== undefined && hashOf(inventory.definition) === needs.own;
  if (!same) return { grant, inventory: compact(excerpt) };
  const { definition: _, ...rest } = excerpt;
  return { grant, inventory: compact(rest), sameDefinition: true };
}

/** The inventory that a grant brings to the operation with this request. */
export function inventoryOf({ inventory, sameDefinition }: Grant, { definition }: OperationRequest): Inventory {
  const brought = unpackIfPacked(inventory);
  return sameDefinition ? { ...brought, definition } : brought;
}

/** Packs an inventory that is too large to be read anyway. */
export function compact(inventory: Inventory): Packable<Inventory> {
  const { servers, definition, peers } = inventory;
  const size = Math.max(Object.keys(servers).length, definition?.servers.length ?? 0, peers?.length ?? 0);
  return size > READABLE ? { packed: pack(inventory) } : inventory;
}

function excerptOf(inventory: Inventory, needs: LockNeeds): Inventory {
  const { servers: names, taskservs, own, complete, peers } = needs;
  if (!names) return inventory;
  const { definition } = inventory;
  const specs = definition ? names.flatMap((name) => specOf(definition, name) ?? []) : [];
  const there = names.flatMap((name) => inventory.servers[name] ?? []);
  if (!complete) {
    // An operation that names what is not there is given all, for its error to say what is.
    const servers = new Set([...specs, ...there].map(({ name }) => name));
    const offered = new Set([
      ...specs.flatMap((spec) => spec.taskservs.map(({ name }) => name)),
      ...there.flatMap(({ services }) => Object.keys(services)),
    ]);
    if (!names.every((name) => servers.has(name)) || !(taskservs ?? []).every((name) => offered.has(name))) return inventory;
  }
  const drains = listDrains(needs, definition);
  const members = listJoined(needs, inventory).servers.filter((name) => !names.includes(name));
  const others = [...drains, ...members.filter((name) => !drains.includes(name))];
  const brought = [...there, ...others.flatMap((name) => inventory.servers[name] ?? [])];
  const excerpt: Inventory = { ...inventory, servers: Object.fromEntries(brought.map((server) => [server.name, server])) };
  // A definition that is about to be replaced is needed whole, to be restored.
  if (!definition || own !== undefined) return excerpt;
  const beside = others.flatMap((name) => specOf(definition, name) ?? []);
  return {
    ...excerpt,
    definition: {
      ...definition,
      servers: members.length > 0 ? inOrderOf(definition, [...specs, ...beside]) : [...specs, ...beside],
    },
    peers: peers || needs.definition ? peersFor(about(definition).peers, names, wantedOf(specs, taskservs)) : [],
  };
}

/** Balancers that take the named servers out of service while those are worked on. */
export function listDrains(
  { drains, definition: goesBy, servers = [], taskservs }: LockNeeds,
  definition: Definition | undefined,
): string[] {
  if (drains || !goesBy || !definition) return drains ?? [];
  const specs = servers.flatMap((name) => specOf(definition, name) ?? []);
  return drainersAmong(about(definition).balancers, servers, wantedOf(specs, taskservs));
}

/** Members of a group are told of each other in the order of the definition. */
function inOrderOf(definition: Definition, servers: readonly ServerSpec[]): ServerSpec[] {
  const names = new Set(servers.map(({ name }) => name));
  return definition.servers.filter(({ name }) => names.has(name));
}

/**
 * Groups of which the named servers have members: work on one of them depends on the others. By the definition that the
 * operation brings, by the one in force, and by what is there: each may name members that the others do not.
 */
export function listJoined({ groups, servers, taskservs }: LockNeeds, { definition, servers: there }: Inventory): JoinedGroups {
  const brought = groups ?? { names: [], servers: [] };
  if (!servers) return brought;
  const written = definition ? uniteGroups(brought, findGroups(definition, servers, taskservs)) : brought;
  const members = Object.values(there).flatMap(({ name, services }) =>
    Object.values(services).flatMap(({ taskserv, group }) => {
      const joined = nameGroup({ name: taskserv, group });
      return joined === undefined ? [] : [{ server: name, taskserv, joined }];
    }),
  );
  if (members.length === 0) return written;
  const own = members.filter(({ server, taskserv }) => servers.includes(server) && (taskservs?.includes(taskserv) ?? true));
  const names = new Set([...written.names, ...own.map(({ joined }) => joined)]);
  const those = members.flatMap(({ server, joined }) => (names.has(joined) ? [server] : []));
  return uniteGroups(written, { names: [...names], servers: those });
}

const wantedOf = (specs: readonly ServerSpec[], taskservs?: string[]) =>
  specs.flatMap((spec) => spec.taskservs.filter(({ name }) => !taskservs || taskservs.includes(name)));
