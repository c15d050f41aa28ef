import type { Definition } from '../../core/definition/definition.js';
import { nameGroup } from '../../core/definition/group-members.js';
import { countMembers, type GroupStatus, type MemberStatus } from '../../core/taskserv/groups/group-status.js';

/** Servers and what they carry, and what needs what. */
export interface Graph {
  servers: { name: string; role: string; taskservs: { id: string; name: string }[] }[];
  /** From the dependent node to its dependency. `of` names the endpoint of the dependency, if there is one. */
  edges: { from: string; to: string; of?: string }[];
  /** Services whose members on several servers are one. Absent if there are no groups. */
  groups?: { taskserv: string; name: string; members: string[]; now?: GroupStatus }[];
}

/** A group as its members said, of which several may have been asked. */
export interface SeenGroup {
  taskserv: string;
  group: GroupStatus;
}

/**
 * Adds how the groups are now: by the look that saw most of the members. A group that no member told of has none.
 *
 * @param seen what each member told
 */
export function addSeenGroups(graph: Graph, seen: readonly SeenGroup[]): Graph {
  const countSeen = ({ group }: SeenGroup) => group.members.filter(({ state }) => state === 'seen').length;
  const groups = graph.groups?.map((one) => {
    const told = seen.filter(({ taskserv, group }) => taskserv === one.taskserv && group.name === one.name);
    const [best] = told.sort((a, b) => countSeen(b) - countSeen(a));
    return best ? { ...one, now: best.group } : one;
  });
  return { ...graph, ...(groups && { groups }) };
}

/** The graph of a definition: taskservs of a server in their order, dependencies on it, and endpoints that are used across servers. */
export function createGraph({ servers }: Pick<Definition, 'servers'>): Graph {
  const idOf = (server: string, taskserv: string) => `${server}/${taskserv}`;
  const offered = new Map<string, string[]>();
  for (const { name, taskservs } of servers) {
    for (const { name: taskserv, endpoints } of taskservs) {
      for (const { name: endpoint } of endpoints) offered.set(endpoint, [...(offered.get(endpoint) ?? []), idOf(name, taskserv)]);
    }
  }
  const edges = servers.flatMap(({ name, taskservs }) =>
    taskservs.flatMap((taskserv): Graph['edges'] => {
      const from = idOf(name, taskserv.name);
      const here = taskserv.after.filter((other) => taskservs.some((one) => one.name === other));
      const used = (taskserv.uses ?? []).flatMap((of) => (offered.get(of) ?? []).map((to) => ({ from, to, of })));
      const referred = (taskserv.refersTo ?? []).flatMap(({ server, taskserv: to }) =>
        to ? [{ from, to: idOf(server, to) }] : [],
      );
      const known = new Set(here.map((other) => idOf(name, other)));
      return [
        ...here.map((other) => ({ from, to: idOf(name, other) })),
        ...used.filter(({ to }) => to !== from),
        ...referred.filter(({ to }) => to !== from && !known.has(to) && !used.some((one) => one.to === to)),
      ];
    }),
  );
  return {
    servers: servers.map(({ name, role, taskservs }) => ({
      name,
      role,
      taskservs: taskservs.map((one) => ({ id: idOf(name, one.name), name: one.name })),
    })),
    edges,
    ...listGroups(servers),
  };
}

function listGroups(servers: Definition['servers']): Pick<Graph, 'groups'> {
  const groups = new Map<string, NonNullable<Graph['groups']>[number]>();
  for (const { name: server, taskservs } of servers) {
    for (const spec of taskservs) {
      const key = nameGroup(spec);
      if (key === undefined || spec.group === undefined) continue;
      const known = groups.get(key) ?? { taskserv: spec.name, name: spec.group, members: [] };
      groups.set(key, { ...known, members: [...known.members, `${server}/${spec.name}`] });
    }
  }
  return groups.size > 0 ? { groups: [...groups.values()] } : {};
}

/**
 * A group with how many members it has: `etcd group main: 3 members`, or how many serve. Of its name, what has a meaning in
 * no format. What hosts say of themselves is not in it.
 */
function groupLabel({ taskserv, name, members, now }: NonNullable<Graph['groups']>[number]): string {
  const counted = now ? countMembers(now) : `${members.length} ${members.length === 1 ? 'member' : 'members'}`;
  return `${taskserv} group ${name.replaceAll(/[^A-Za-z0-9 ._@-]/g, '?')}: ${counted}`;
}

/** How a member is now, behind the name of its service. */
function describeNow({ state, serves, leads }: MemberStatus): string {
  if (state === 'expected') return ', not installed';
  if (state === 'silent') return ', does not answer';
  return leads ? ', leads' : serves ? ', serves' : ', does not serve';
}

/** What the members of groups add to their services, by the ids of those. */
const listStandings = ({ groups = [] }: Graph): Map<string, string> =>
  new Map(
    groups.flatMap(
      ({ taskserv, now }) => now?.members.map((one) => [`${one.server}/${taskserv}`, describeNow(one)] as const) ?? [],
    ),
  );

/** Identifiers that no format has against: names have dashes. */
function shortNames({ servers }: Graph): (id: string) => string {
  const short = new Map(servers.flatMap(({ taskservs }) => taskservs).map(({ id }, index) => [id, `n${index + 1}`]));
  return (id) => short.get(id) ?? id;
}

const labelOf = ({ name, role }: Graph['servers'][number]): string => (name === role ? name : `${name} (${role})`);

export function renderMermaid(graph: Graph): string {
  const short = shortNames(graph);
  const standings = listStandings(graph);
  const boxes = graph.servers.flatMap((server, index) => [
    `  subgraph s${index + 1}["${labelOf(server)}"]`,
    ...server.taskservs.map(({ id, name }) => `    ${short(id)}["${name}${standings.get(id) ?? ''}"]`),
    '  end',
  ]);
  const arrows = graph.edges.map(({ from, to, of }) => `  ${short(from)} -->${of === undefined ? '' : `|${of}|`} ${short(to)}`);
  const groups = (graph.groups ?? []).flatMap((group, index) => [
    `  g${index + 1}(["${groupLabel(group)}"])`,
    ...group.members.map((id) => `  g${index + 1} -.- ${short(id)}`),
  ]);
  return `${['flowchart LR', ...boxes, ...arrows, ...groups].join('\n')}\n`;
}

export function renderDot(graph: Graph): string {
  const short = shortNames(graph);
  const standings = listStandings(graph);
  const boxes = graph.servers.flatMap((server, index) => [
    `  subgraph cluster_s${index + 1} {`,
    `    label="${labelOf(server)}";`,
    ...server.taskservs.map(({ id, name }) => `    ${short(id)} [label="${name}${standings.get(id) ?? ''}"];`),
    '  }',
  ]);
  const arrows = graph.edges.map(
    ({ from, to, of }) => `  ${short(from)} -> ${short(to)}${of === undefined ? '' : ` [label="${of}"]`};`,
  );
  const groups = (graph.groups ?? []).flatMap((group, index) => [
    `  g${index + 1} [label="${groupLabel(group)}", shape=ellipse];`,
    ...group.members.map((id) => `  g${index + 1} -> ${short(id)} [style=dashed, dir=none];`),
  ]);
  return `${['digraph {', '  rankdir=LR;', ...boxes, ...arrows, ...groups, '}'].join('\n')}\n`;
}
