import type { Definition } from '../../core/definition/definition.js';

/** Servers and what they carry, and what needs what. */
export interface Graph {
  servers: { name: string; role: string; taskservs: { id: string; name: string }[] }[];
  /** From the dependent node to its dependency. `of` names the endpoint of the dependency, if there is one. */
  edges: { from: string; to: string; of?: string }[];
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
  };
}

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
  return `${['flowchart LR', ...boxes, ...arrows].join('\n')}\n`;
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
  return `${['digraph {', '  rankdir=LR;', ...boxes, ...arrows, '}'].join('\n')}\n`;
}
