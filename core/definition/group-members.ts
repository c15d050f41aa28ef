import type { Definition, ServerSpec, TaskservSpec } from './definition.js';

/** A taskserv on a server that belongs to a group. */
export interface MemberSpec {
  server: ServerSpec;
  spec: TaskservSpec;
}

/** Name of a group among all of an infra: `etcd/main`. Undefined for a service that is alone. */
export const nameGroup = ({ name, group }: Pick<TaskservSpec, 'name' | 'group'>): string | undefined =>
  group === undefined ? undefined : `${name}/${group}`;

/** The members of a group, this one included, in the order of the definition. Empty for a service that is alone. */
export function listMembers(
  { servers }: Pick<Definition, 'servers'>,
  { name, group }: Pick<TaskservSpec, 'name' | 'group'>,
): MemberSpec[] {
  if (group === undefined) return [];
  return servers.flatMap((server) =>
    server.taskservs.flatMap((spec) => (spec.name === name && spec.group === group ? [{ server, spec }] : [])),
  );
}

/** Groups, and the servers of all their members. */
export interface JoinedGroups {
  /** `etcd/main` */
  names: string[];
  servers: string[];
}

/**
 * The groups of which these servers have members. Work on one member depends on all of them.
 *
 * @param taskservs those that are worked on; absent: all of the servers
 */
export function findGroups(
  definition: Pick<Definition, 'servers'>,
  servers: readonly string[],
  taskservs?: readonly string[],
): JoinedGroups {
  const named = new Set(servers);
  const specs = definition.servers
    .filter(({ name }) => named.has(name))
    .flatMap((server) => server.taskservs.filter(({ name, group }) => group !== undefined && (taskservs?.includes(name) ?? true)));
  const names = [...new Set(specs.flatMap((spec) => nameGroup(spec) ?? []))].sort();
  const members = names.length === 0 ? [] : specs.flatMap((spec) => listMembers(definition, spec));
  return { names, servers: [...new Set(members.map(({ server }) => server.name))].sort() };
}

/** All that is in the one or the other. */
export const uniteGroups = (one: JoinedGroups, other: JoinedGroups): JoinedGroups => ({
  names: [...new Set([...one.names, ...other.names])].sort(),
  servers: [...new Set([...one.servers, ...other.servers])].sort(),
});

/**
 * Puts the members of each group into one order, at the places that they have together in a list. All else stays where
 * it is.
 *
 * @param groupIn name of an item's group; undefined for one that is alone
 */
export function orderMembers<T>(
  items: readonly T[],
  groupIn: (item: T) => string | undefined,
  compare: (one: T, other: T) => number,
): T[] {
  const places = new Map<string, number[]>();
  items.forEach((item, index) => {
    const group = groupIn(item);
    if (group !== undefined) places.set(group, [...(places.get(group) ?? []), index]);
  });
  const ordered = [...items];
  for (const indexes of places.values()) {
    const members = indexes.map((index) => items[index] as T).sort(compare);
    indexes.forEach((index, at) => {
      ordered[index] = members[at] as T;
    });
  }
  return ordered;
}
