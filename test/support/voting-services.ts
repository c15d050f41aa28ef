import { type QuorumWorld, StepFailure } from '../../sdk/testing/index.js';
import { kafka } from '../../taskservs/kafka/kafka.js';
import { computeNode } from '../../taskservs/kafka/kafka-places.js';
import { nats } from '../../taskservs/nats/nats.js';
import { peerId } from '../../taskservs/nats/nats-ask.js';
import { zookeeper } from '../../taskservs/zookeeper/zookeeper.js';
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

const KAFKA = 'https://downloads.apache.org/kafka/4.3.1/kafka_2.13-4.3.1.tgz';
const KAFKA_SHA256 = 'f118328b2d053497350d5befd82c08db7ffd710327ff52943dd5caaa1b25db21';

/** An identity of Kafka's, for one of the model's. */
const writeUuid = (id: string): string => id.padEnd(22, '_');

/** Services whose members decide by majority, as the model plays them. */
export const VOTING_SERVICES: readonly VotingService[] = [
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
    taskserv: kafka,
    written: {
      cluster: 'main',
      tls: { certificate: { $secret: 'c' }, key: { $secret: 'k' }, authority: { $secret: 'ca' } },
      peerTls: { certificate: { $secret: 'pc' }, key: { $secret: 'pk' }, authority: { $secret: 'pca' } },
    },
    unit: 'kafka',
    facts: {
      releases: [{ to: '/opt/kafka/4.3.1', url: KAFKA, sha256: KAFKA_SHA256, unpack: 'tar', strip: 1 }],
      ...{ running: '4.3.1', hasAccount: true, 'package default-jre-headless': version, 'package python3': version },
      ...Object.fromEntries(
        ['account', 'unitFile', 'tls', 'tlsAuthority', 'peerTls', 'peerAuthority', 'logging', 'conf'].map((file) => [
          file,
          'as planned',
        ]),
      ),
    },
    answer(world, server) {
      const node = world.node(server);
      const listed = world.entry(node);
      const serves = world.serves(server);
      const voters = serves ? node.list.filter(({ votes }) => votes) : [];
      const data = node.data && {
        cluster: writeUuid(node.data.group),
        node: computeNode(server),
        directory: writeUuid(node.data.id),
      };
      return {
        member: {
          ...(data && { data }),
          joining: listed !== undefined && !listed.votes,
          ...{ serves, leads: world.leads(server) },
          voters: voters.map(({ id, server }) => ({ node: computeNode(server), directory: writeUuid(id) })),
        },
      };
    },
    acts: [
      [
        /^Keep the former data/,
        (world, server) => {
          const { data } = world.node(server);
          // The step asks the others once more.
          const group = world.servingGroup(server);
          if (!group) throw new StepFailure('no member answers that a majority agrees with');
          if (data && group.list.some(({ id, votes }) => votes && id === data.id)) throw new StepFailure('a majority knows it');
          world.putAside(server);
        },
      ],
      [
        /^Wait until /,
        (world, server) => {
          const others = [...world.nodes.values()].some((one) => one.server !== server && one.runs && one.connected);
          if (!world.serves(server) && others) throw new StepFailure('no majority agrees with it');
        },
      ],
    ],
    // It has no lead to hand over by hand: one that stops gives it to another one.
    handsOver: ({ title }) => title.startsWith('Restart '),
  },
];
