import type { Definition } from '../../core/definition/definition.js';
import { nameGroup } from '../../core/definition/group-members.js';

/** Servers and what they carry, and what needs what. */
export interface Graph {
  servers: { name: string; role: string; taskservs: { id: string; name: string }[] }[];
  /** From the dependent node to its dependency. `of` names the endpoint of the dependency, if there is one. */
  edges: { from: string; to: string; of?: string }[];
  /** Services whose members on several servers are one. Absent if there are no groups. */
  groups?: { taskserv: string; name: string; members: string[] }[];
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

/** A group with how many members it has: `etcd group main: 3 members`. Of its name, what has a meaning in no format. */
const groupLabel = ({ taskserv, name, members }: NonNullable<Graph['groups']>[number]): string =>
  `${taskserv} group ${name.replaceAll(/[^A-Za-z0-9 ._@-]/g, '?')}: ${members.length} ${members.length === 1 ? 'member' : 'members'}`;

/** Identifiers that no format has against: names have dashes. */
function shortNames({ servers }: Graph): (id: string) => string {
  const short = new Map(servers.flatMap(({ taskservs }) => taskservs).map(({ id }, index) => [id, `n${index + 1}`]));
  return (id) => short.get(id) ?? id;
}

const labelOf = ({ name, role }: Graph['servers'][number]): string => (name === role ? name : `${name} (${role})`);

export function renderMermaid(graph: Graph): string {
  const short = shortNames(graph);
  const boxes = graph.servers.flatMap((server, index) => [
    `  subgraph s${index + 1}["${labelOf(server)}"]`,
    ...server.taskservs.map(({ id, name }) => `    ${short(id)}["${name}"]`),
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
  const boxes = graph.servers.flatMap((server, index) => [
    `  subgraph cluster_s${index + 1} {`,
    `    label="${labelOf(server)}";`,
    ...server.taskservs.map(({ id, name }) => `    ${short(id)} [label="${name}"];`),
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
