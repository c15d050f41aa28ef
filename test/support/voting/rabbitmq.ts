import { type QuorumWorld, StepFailure } from '../../../sdk/testing/index.js';
import { rabbitmq } from '../../../taskservs/rabbitmq/rabbitmq.js';
import type { VotingService } from '../voting-model.js';

/** Nodes of rabbitmq that have noted to which cluster they belong. */
const noted = new WeakMap<QuorumWorld, Set<string>>();

const notedIn = (world: QuorumWorld): Set<string> => {
  const known = noted.get(world) ?? new Set();
  noted.set(world, known);
  return known;
};

/** A node without data serves for itself until it joins. */
function startNode(world: QuorumWorld, server: string): void {
  const node = world.node(server);
  if (!node.data && !node.founds) node.runs = true;
  else world.start(server);
}

/** How rabbitmq behaves as a group. */
export const rabbitmqModel: VotingService = {
  taskserv: rabbitmq,
  written: {
    ...{ cluster: 'main', cookie: { $secret: 'k' }, users: [{ name: 'shop', password: { $secret: 'p' } }] },
    peerTls: { certificate: { $secret: 'c' }, key: { $secret: 'k' }, authority: { $secret: 'ca' } },
  },
  unit: 'rabbitmq-server',
  facts: {
    ...{ package: { version: '3.10.8' }, python3: { version: '3.11.2' }, cookie: true },
    contents: { asked: true, isKept: true, users: ['shop'], vhosts: [], permissions: {}, logins: ['shop'], epmdIsOpen: false },
    ...Object.fromEntries(
      ['conf', 'env', 'plugins', 'peerCertificate', 'peerKey', 'peerAuthority', 'peerOptions', 'resolver', 'memberDropIn'].map(
        (file) => [file, 'as planned'],
      ),
    ),
  },
  answer(world, server) {
    const node = world.node(server);
    if (!node.data) return { member: { serves: false, list: [] }, cookie: '' };
    const serves = world.serves(server);
    const list = serves ? node.list : [];
    const isNoted = notedIn(world).has(node.data.id);
    return {
      member: {
        data: { node: node.data.id, ...(isNoted && { cluster: node.data.group }) },
        ...(serves && !isNoted && list.length > 1 && { joined: node.data.group }),
        ...{ serves, list: list.map(({ id }) => id) },
      },
      cookie: 'k',
    };
  },
  acts: [
    [/^(Set the cookie|Create the |Let )/, () => {}],
    [
      /^Create a node/,
      (world, server) => {
        const { data } = world.node(server);
        if (data && notedIn(world).has(data.id)) throw new StepFailure('it belongs to a cluster by now');
        world.putAside(server);
      },
    ],
    [/^Start /, startNode],
    [
      /^Restart /,
      (world, server) => {
        // Each queue has a leader of its own. The group has none that could change too often.
        const { leadChanges } = world;
        world.stop(server);
        startNode(world, server);
        world.leadChanges = leadChanges;
      },
    ],
    [
      /^Add /,
      (world, server) => {
        const node = world.node(server);
        if (node.data && world.entry(node)) return world.start(server);
        if (!node.runs || node.data) throw new StepFailure('its node does not answer');
        // Its former node leaves first.
        const runsStill = world.servingGroup(server)?.list.some((entry) => entry.server === server && world.serves(server));
        if (runsStill) throw new StepFailure('another machine of its name serves');
        node.runs = false;
        world.add(server);
        world.start(server);
        world.promote(server);
      },
    ],
    [
      /^Wait until \S+ serves/,
      (world, server) => {
        const { data } = world.node(server);
        if (!data || !world.serves(server)) throw new StepFailure('no majority of the members agrees with it');
        notedIn(world).add(data.id);
      },
    ],
    [
      /^Wait until the rabbitmq cluster \S+ can do without/,
      (world, server) => {
        const { data } = world.node(server);
        if (!data || !world.serves(server)) return;
        const voters = world.groups.get(data.group)?.list.length ?? 0;
        if (voters > 1 && (world.majority(data.group).length - 1) * 2 <= voters)
          throw new StepFailure('without it no majority of the members serves');
      },
    ],
  ],
  keepsQuorum: /^Wait until the rabbitmq cluster \S+ can do without/,
  // No member leads: each queue chooses another one when its leader ends.
  handsOver: ({ title }) => title.startsWith('Restart '),
};
