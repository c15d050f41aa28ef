import { StepFailure } from '../../../sdk/testing/index.js';
import { kafka } from '../../../taskservs/kafka/kafka.js';
import { computeNode } from '../../../taskservs/kafka/kafka-places.js';
import type { VotingService } from '../voting-model.js';

const version = { version: '3.8.0' };

const KAFKA = 'https://archive.apache.org/dist/kafka/4.3.1/kafka_2.13-4.3.1.tgz';
const KAFKA_SHA256 = 'f118328b2d053497350d5befd82c08db7ffd710327ff52943dd5caaa1b25db21';

/** An identity of Kafka's, for one of the model's. */
const writeUuid = (id: string): string => id.padEnd(22, '_');

/** How kafka behaves as a group. */
export const kafkaModel: VotingService = {
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
        ...(data && { data, clustered: true }),
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
      /^Start /,
      (world, server) => {
        const node = world.node(server);
        const group = node.data && world.groups.get(node.data.group);
        // One without a vote follows, unless another machine has its number.
        const own = group?.list.filter((entry) => entry.server === server) ?? [];
        if (node.data && group && !own.some(({ id, votes }) => votes || id === node.data?.id)) {
          group.list = group.list.filter((entry) => entry.server !== server);
          group.list.push({ id: node.data.id, server, votes: false, started: true });
        }
        world.start(server);
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
  listsVotersOnly: true,
  isAddressed: true,
  // It has no lead to hand over by hand: one that stops gives it to another one.
  handsOver: ({ title }) => title.startsWith('Restart '),
};
