import type { Draw } from './draw.js';
import type { Node, QuorumWorld } from './world.js';

/** What happens to a group without the platform. */
export interface Event {
  name: string;
  /** Servers to which it can happen now. */
  to(world: QuorumWorld): Node[];
  happen(world: QuorumWorld, node: Node, draw: Draw): void;
}

const all = (world: QuorumWorld): Node[] => [...world.nodes.values()];

/** Whether a group keeps a majority of its data without a server's. More losses at once are beyond what a group survives. */
function canLose(world: QuorumWorld, lost: Node): boolean {
  return [...world.groups.values()].every(({ id, list }) => {
    const voters = list.filter(({ votes }) => votes);
    const kept = voters.filter((entry) =>
      all(world).some((node) => node !== lost && node.data?.id === entry.id && node.data.group === id),
    );
    return kept.length * 2 > voters.length || !voters.some((entry) => entry.id === lost.data?.id);
  });
}

function loseData(node: Node): void {
  node.runs = false;
  if (node.data) node.former = { ...node.data };
  delete node.data;
}

export const EVENTS: readonly Event[] = [
  { name: 'a client writes', to: (world) => all(world).slice(0, 1), happen: (world) => world.write() },
  {
    name: 'its process ends',
    to: (world) => all(world).filter(({ runs }) => runs),
    happen: (world, { server }) => world.stop(server),
  },
  {
    name: 'its process starts by itself',
    to: (world) => all(world).filter((node) => !node.runs && world.entry(node)),
    happen: (world, { server }) => world.start(server),
  },
  {
    name: 'it is lost with its machine',
    to: (world) => all(world).filter((node) => node.installed && !node.lost && canLose(world, node)),
    happen: (_, node) => {
      loseData(node);
      Object.assign(node, { lost: true, answers: false, founds: false });
    },
  },
  {
    name: 'its former machine returns with its data',
    to: (world) => all(world).filter((node) => node.former && canLose(world, node)),
    happen: (_, node) => {
      const { former } = node;
      loseData(node);
      if (former) node.data = former;
      Object.assign(node, { installed: true, lost: false, answers: true });
    },
  },
  {
    name: 'others do not reach it',
    to: (world) => all(world).filter(({ connected }) => connected),
    happen: (_, node) => {
      node.connected = false;
    },
  },
  {
    name: 'others reach it again',
    to: (world) => all(world).filter(({ connected }) => !connected),
    happen: (_, node) => {
      node.connected = true;
    },
  },
  {
    name: 'its host does not answer',
    to: (world) => all(world).filter(({ answers }) => answers),
    happen: (_, node) => {
      node.answers = false;
    },
  },
  {
    name: 'its host answers again',
    to: (world) => all(world).filter(({ answers, lost }) => !answers && !lost),
    happen: (_, node) => {
      node.answers = true;
    },
  },
  {
    name: 'it loses the lead',
    to: (world) => all(world).filter(({ server }) => world.leads(server)),
    happen: (world, { server }, draw) => {
      world.moveLead(server, (others) => draw.one(others));
    },
  },
];

/** Draws an event and lets it happen. Returns what it was, for people. */
export function disturb(world: QuorumWorld, draw: Draw): string | undefined {
  const event = draw.one(EVENTS);
  const node = event && draw.one(event.to(world));
  if (!event || !node) return undefined;
  event.happen(world, node, draw);
  world.settle();
  return `${node.server}: ${event.name}`;
}

/** Makes new machines for those that are gone, as an apply does before anything else. */
export function replaceLost(world: QuorumWorld, servers: readonly string[]): void {
  for (const server of servers) {
    const node = world.node(server);
    if (!node.lost) continue;
    Object.assign(node, { machine: node.machine + 1, lost: false, installed: false, answers: true, stale: false });
  }
}

/** Ends all faults that pass. A lost machine stays so. */
export function heal(world: QuorumWorld): void {
  for (const node of all(world)) Object.assign(node, { answers: !node.lost, connected: true });
  world.settle();
}
