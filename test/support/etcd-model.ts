import { type GroupModel, planOf, type QuorumWorld, StepFailure } from '../../sdk/testing/index.js';
import { etcd } from '../../taskservs/etcd/etcd.js';

const reference = (name: string) => ({ $secret: name });
const WRITTEN = {
  cluster: 'main',
  tls: { certificate: reference('c'), key: reference('k'), authority: reference('a') },
  peerTls: { certificate: reference('pc'), key: reference('pk'), authority: reference('pa') },
};

/** Configuration of a cluster, parsed. */
export const CONFIG = etcd.config.parse(WRITTEN);

const FILES = ['certificate', 'key', 'authority', 'peerCertificate', 'peerKey', 'peerAuthority', 'initial', 'snapshot', 'defaults'];

/** Facts of a host on which everything is as planned, by server. */
const planned = new Map<string, Record<string, unknown>>();
function factsOf(server: string): Record<string, unknown> {
  const known = planned.get(server);
  if (known) return known;
  const version = { version: '3.4.23' };
  const facts = { package: version, 'etcd-client': version, ...Object.fromEntries(FILES.map((file) => [file, 'as planned'])) };
  const { found } = planOf(etcd, { config: WRITTEN, host: { name: server }, group: { [server]: 'expected' }, facts, steps: [] });
  planned.set(server, found);
  return found;
}

/** What each step of etcd does in the model, by its title. */
const ACTS: readonly [
  RegExp,
  (world: QuorumWorld, server: string, named: string, pick: <T>(of: readonly T[]) => T | undefined) => void,
][] = [
  [
    /^Found the etcd cluster/,
    (world, server) => {
      if (world.servingGroup(server)) throw new StepFailure('a member of the cluster answers');
      if (!world.node(server).data) world.node(server).founds = true;
    },
  ],
  [
    /^Add (\S+) to the etcd cluster/,
    (world, server) => {
      if (!world.node(server).data) world.add(server);
    },
  ],
  [/^Start etcd/, (world, server) => world.start(server)],
  [
    /^Restart etcd/,
    (world, server) => {
      world.stop(server);
      world.start(server);
    },
  ],
  [/^Give (\S+) its vote/, (world, server) => world.promote(server)],
  [/^Keep the former data/, (world, server) => world.putAside(server)],
  [
    /^Hand over the lead/,
    (world, server, _, pick) => {
      world.moveLead(server, pick);
    },
  ],
  [/^Remove (\S+) from the etcd cluster/, (world, server, named) => world.remove(server, named)],
  [/^(Install|Write|Let|Announce) /, () => {}],
];

/** Etcd in the model of members that decide by majority. */
export const etcdModel: GroupModel = {
  answer(world, server) {
    const node = world.node(server);
    const entry = world.entry(node);
    const list = node.runs ? node.list : [];
    return {
      member: {
        ...(node.data && { data: { cluster: node.data.group, id: node.data.id } }),
        ...{ serves: world.serves(server), leads: world.leads(server), joining: entry !== undefined && !entry.votes },
        list: list.map(({ id, server, votes, started }) => ({
          ...{ id, name: started ? server : '', peers: `https://${server}:2380`, learner: !votes },
        })),
      },
    };
  },
  find(world, server) {
    const node = world.node(server);
    const isNew = !node.installed && !node.data;
    const unit = { name: 'etcd', active: node.runs, enabled: !isNew, stale: node.stale };
    return { ...factsOf(server), unit };
  },
  act(world, server, step, draw) {
    for (const [title, act] of ACTS) {
      const [found, named = ''] = title.exec(step.title) ?? [];
      if (found !== undefined) return act(world, server, named, draw.one);
    }
    throw new Error(`the model does not know "${step.title}"`);
  },
  handsOver: ({ title }) => title.startsWith('Hand over the lead'),
};
