import { type QuorumWorld, StepFailure } from '../../sdk/testing/index.js';
import { mariadb } from '../../taskservs/mariadb/mariadb.js';
import { nats } from '../../taskservs/nats/nats.js';
import { peerId } from '../../taskservs/nats/nats-ask.js';
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
];
