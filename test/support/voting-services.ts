import { type QuorumWorld, StepFailure } from '../../sdk/testing/index.js';
import { mariadb } from '../../taskservs/mariadb/mariadb.js';
import { nats } from '../../taskservs/nats/nats.js';
import { peerId } from '../../taskservs/nats/nats-ask.js';
import { rabbitmq } from '../../taskservs/rabbitmq/rabbitmq.js';
import { zookeeper } from '../../taskservs/zookeeper/zookeeper.js';
import { keyValueModel } from './key-value-model.js';
import type { VotingService } from './voting-model.js';

const version = { version: '3.8.0' };

/**
 * Members of NATS without data get that of a majority that they reach, and replace former ones of their names. Two of
 * them begin a cluster, even beside the data of one.
 */
function letFind(world: QuorumWorld): void {
  const empty = [...world.nodes.values()].filter((node) => node.runs && node.connected && !node.data);
  for (const node of empty) {
    const joins = world.servingGroup(node.server) !== undefined;
    if (!joins && empty.length < 2) continue;
    node.runs = false;
    if (joins) world.add(node.server);
    else node.founds = true;
    world.start(node.server);
    if (joins) world.promote(node.server);
  }
}

/**
 * A member of Galera gets all data of a majority that it reaches, whatever it has, and is a member by that only. Without one it
 * starts with its own data if that is of the cluster, and founds one only if it is told to.
 */
function startGalera(world: QuorumWorld, server: string): void {
  const node = world.node(server);
  const joins = world.servingGroup(server) !== undefined;
  if (node.runs) return;
  if (joins && !world.entry(node)) {
    if (node.data && node.data.group !== world.servingGroup(server)?.id)
      throw new StepFailure(`${server} has the data of another cluster`);
    delete node.data;
    node.founds = false;
    world.add(server);
  }
  if (!node.data && !joins && !node.founds) throw new StepFailure(`${server} finds no member that serves`);
  world.start(server);
  if (joins) world.promote(server);
}

/** Nodes of rabbitmq that have noted to which cluster they belong. */
const noted = new WeakMap<QuorumWorld, Set<string>>();

const notedIn = (world: QuorumWorld): Set<string> => {
  const known = noted.get(world) ?? new Set();
  noted.set(world, known);
  return known;
};

/** Services whose members decide by majority, as the model plays them. */
export const VOTING_SERVICES: readonly VotingService[] = [
  keyValueModel,
  {
    taskserv: zookeeper,
    written: { cluster: 'main', allow: ['10.0.0.0/8'] },
    unit: 'zookeeper',
    facts: {
      ...{ package: version, kazoo: version },
      ...Object.fromEntries(['start', 'conf', 'service'].map((file) => [file, 'as planned'])),
    },
    answer(world, server) {
      const node = world.node(server);
      const votes = world.entry(node)?.votes ?? (node.data !== undefined && !world.groups.get(node.data.group));
      const former = node.data !== undefined && world.entry(node) === undefined;
      const serves = world.serves(server);
      const list = serves ? node.list.filter((entry) => entry.votes) : [];
      return {
        member: {
          ...(node.data && { data: { id: node.data.id, ...((votes || former) && { cluster: node.data.group }) } }),
          ...{ serves, leads: world.leads(server) },
          list: list.map(({ id, server }) => ({ id, peers: `${server}:2888:3888`, clients: '127.0.0.1:2181' })),
        },
      };
    },
    // It has no lead to hand over by hand: the others choose another one at once.
    handsOver: ({ title }) => title.startsWith('Restart '),
  },
  {
    taskserv: nats,
    written: {
      ...{
        cluster: 'main',
        jetStream: true,
        users: [{ name: 'shop', password: { $secret: 'p' } }],
        adminPassword: { $secret: 'a' },
      },
      peerTls: { certificate: { $secret: 'c' }, key: { $secret: 'k' }, authority: { $secret: 'ca' } },
    },
    unit: 'nats-server',
    facts: {
      ...{ package: { version: '2.9.10' }, python3: { version: '3.11.2' } },
      ...Object.fromEntries(['peerCertificate', 'peerKey', 'peerAuthority', 'conf', 'dropIn'].map((file) => [file, 'as planned'])),
    },
    answer(world, server) {
      letFind(world);
      const node = world.node(server);
      const serves = world.serves(server);
      const leads = world.leads(server);
      return {
        member: {
          // Members of one name find each other: its name is the identity.
          ...(node.data && { cluster: 'main' }),
          ...{ runs: node.runs, serves, leads },
          ...(serves && { voters: node.list.filter(({ votes }) => votes).length }),
          ...(leads && { peers: node.list.map((entry) => peerId(entry.server)) }),
        },
      };
    },
    acts: [
      [
        /^Start /,
        (world, server) => {
          const node = world.node(server);
          if (!node.data) {
            node.runs = true;
            return letFind(world);
          }
          // A member is who has its name, whatever machine its data comes from.
          const named = world.groups.get(node.data.group)?.list.find((entry) => entry.server === server);
          if (named) node.data.id = named.id;
          world.start(server);
        },
      ],
      [
        /^Keep the former data/,
        (world, server) => {
          const ran = world.node(server).runs;
          world.putAside(server);
          world.node(server).runs = ran;
          letFind(world);
        },
      ],
      [
        /^Wait until /,
        (world, server) => {
          letFind(world);
          const node = world.node(server);
          const others = [...world.nodes.values()].some((one) => one !== node && one.runs && one.connected && node.connected);
          const founds = !others && world.groups.size === 0 && server === 'a';
          if (!world.serves(server) && !founds) throw new StepFailure('no majority agrees with it');
        },
      ],
    ],
    handsOver: ({ title }) => title.startsWith('Hand over the lead'),
  },
  {
    taskserv: mariadb,
    written: { cluster: 'main', peerTls: { certificate: { $secret: 'c' }, key: { $secret: 'k' }, authority: { $secret: 'ca' } } },
    unit: 'mariadb',
    facts: {
      ...{ package: { version: '1:10.11.6' }, backup: { version: '1:10.11.6' } },
      ...Object.fromEntries(
        ['peerCertificate', 'peerKey', 'peerAuthority', 'conf', 'members', 'start', 'dropIn'].map((file) => [file, 'as planned']),
      ),
    },
    answer(world, server) {
      const node = world.node(server);
      const serves = world.serves(server);
      const { data } = node;
      return {
        member: {
          ...(data && { group: data.group }),
          ...(data && !node.runs && { seqno: data.writes }),
          ...{ runs: node.runs, serves },
          // Galera forgets lost members, and needs fewer then. The model does not.
          ...(serves && { size: node.list.filter(({ votes }) => votes).length }),
        },
      };
    },
    acts: [
      [/^Start /, startGalera],
      [
        /^Restart /,
        (world, server) => {
          // The model has a leader, and Galera has none that could move.
          const { leadChanges } = world;
          world.stop(server);
          startGalera(world, server);
          world.leadChanges = leadChanges;
        },
      ],
      [
        /^Check that .* serves without /,
        (world, server) => {
          const { data } = world.node(server);
          if (data && world.serves(server) && world.majority(data.group).length < 2)
            throw new StepFailure('no other member serves');
        },
      ],
      [
        /^Wait until /,
        (world, server) => {
          if (!world.serves(server)) throw new StepFailure('no majority agrees with it');
        },
      ],
    ],
    // It has no leader: each member that ends leaves the others in order.
    handsOver: ({ title }) => title.startsWith('Restart '),
  },
  {
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
      if (!node.data) return { member: { serves: false, list: [] } };
      const serves = world.serves(server);
      const list = serves ? node.list : [];
      const isNoted = notedIn(world).has(node.data.id);
      return {
        member: {
          data: { node: node.data.id, ...(isNoted && { cluster: node.data.group }) },
          ...(serves && !isNoted && list.length > 1 && { joined: node.data.group }),
          ...{ serves, list: list.map(({ id }) => id) },
        },
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
      [
        /^Start /,
        (world, server) => {
          const node = world.node(server);
          // It serves for itself until it joins.
          if (!node.data && !node.founds) node.runs = true;
          else world.start(server);
        },
      ],
      [
        /^Restart /,
        (world, server) => {
          // Each queue has a leader of its own. The group has none that could change too often.
          const { leadChanges } = world;
          world.stop(server);
          world.start(server);
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
  },
];
