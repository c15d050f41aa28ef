import type { WorkScope } from '../operation/work-scope.js';
import type { ServerSpec, TaskservSpec } from './definition.js';
import { topologicalOrder } from './graph.js';

/** One service to be brought to what is wanted. */
export interface ServiceNode {
  server: ServerSpec;
  spec: TaskservSpec;
}

/** One order of taskservs for all hosts, so that no two of them can wait for each other. */
export function globalOrder({ ensureServices }: Pick<WorkScope, 'ensureServices'>): string[] {
  const edges = new Map<string, string[]>();
  for (const { taskservs } of ensureServices) for (const { name, after } of taskservs) edges.set(name, after);
  return topologicalOrder(edges);
}

/** All services in the order in which they are begun: taskserv by taskserv, each by the names of its servers. */
export function servicesInOrder(work: Pick<WorkScope, 'ensureServices'>): ServiceNode[] {
  const byTaskserv = new Map(globalOrder(work).map((name): [string, ServiceNode[]] => [name, []]));
  const byServer = [...work.ensureServices].sort((a, b) => (a.server.name < b.server.name ? -1 : 1));
  for (const { server, taskservs } of byServer) for (const spec of taskservs) byTaskserv.get(spec.name)?.push({ server, spec });
  return [...byTaskserv.values()].flat();
}

/** The function, its answer for the same object given only once. The object is not modified between. */
export function memoizeByKey<T extends object, R>(made: (from: T) => R): (from: T) => R {
  const known = new WeakMap<T, R>();
  return (from) => {
    const found = known.get(from) ?? made(from);
    known.set(from, found);
    return found;
  };
}
