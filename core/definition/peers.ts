import type { Peer } from '../taskserv/taskserv.js';
import type { Definition, ServerSpec, TaskservSpec } from './definition.js';

/** Lists the endpoints of a definition, in its order. */
export function peersOf(definition: Definition): Peer[] {
  return definition.servers.flatMap(({ name, role, taskservs }) =>
    taskservs.map(({ name: taskserv, endpoints }) => ({ server: name, role, address: name, taskserv, endpoints })),
  );
}

/** Finds the load balancers that pass requests to these taskservs of these servers. */
export function drainersAmong(
  balancers: readonly ServerSpec[],
  servers: readonly string[],
  taskservs: readonly TaskservSpec[],
): string[] {
  const offered = new Set(taskservs.flatMap(({ endpoints }) => endpoints.map(({ name }) => name)));
  const drains = ({ drains, uses }: TaskservSpec) => drains && (!uses || uses.some((name) => offered.has(name)));
  if (offered.size === 0) return [];
  return balancers.filter(({ name, taskservs: own }) => !servers.includes(name) && own.some(drains)).map(({ name }) => name);
}

interface Index {
  byServer: Map<string, number[]>;
  byEndpoint: Map<string, number[]>;
}

const indexes = new WeakMap<readonly Peer[], Index>();

/**
 * Selects the peers that the plans of these taskservs read: peers on the same servers, on servers to which a
 * configuration refers, and those that offer what the taskservs use. If a taskserv does not declare what it uses, all
 * peers are selected. The order stays.
 */
export function peersFor(all: readonly Peer[], servers: readonly string[], taskservs: readonly TaskservSpec[]): readonly Peer[] {
  if (taskservs.some(({ uses }) => uses === undefined)) return all;
  const { byServer, byEndpoint } = indexOf(all);
  const named = [...servers, ...taskservs.flatMap(({ refersTo = [] }) => refersTo.map(({ server }) => server))];
  const [only] = named;
  if (named.length === 1 && only !== undefined && taskservs.every(({ uses }) => uses?.length === 0))
    return (byServer.get(only) ?? []).map((position) => all[position] as Peer);
  const wanted = new Set(named.flatMap((server) => byServer.get(server) ?? []));
  for (const endpoint of new Set(taskservs.flatMap(({ uses = [] }) => uses)))
    for (const position of byEndpoint.get(endpoint) ?? []) wanted.add(position);
  return [...wanted].sort((a, b) => a - b).map((position) => all[position] as Peer);
}

function indexOf(peers: readonly Peer[]): Index {
  const known = indexes.get(peers);
  if (known) return known;
  const made: Index = { byServer: new Map(), byEndpoint: new Map() };
  const add = (table: Map<string, number[]>, key: string, position: number) => {
    const list = table.get(key);
    if (!list) table.set(key, [position]);
    else if (list.at(-1) !== position) list.push(position);
  };
  peers.forEach(({ server, endpoints }, position) => {
    add(made.byServer, server, position);
    for (const { name } of endpoints) add(made.byEndpoint, name, position);
  });
  indexes.set(peers, made);
  return made;
}
