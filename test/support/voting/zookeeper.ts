import { zookeeper } from '../../../taskservs/zookeeper/zookeeper.js';
import type { VotingService } from '../voting-model.js';

const version = { version: '3.8.0' };

/** How zookeeper behaves as a group. */
export const zookeeperModel: VotingService = {
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
  // An observer knows the others, and none of them lists it.
  listsVotersOnly: true,
  // It has no lead to hand over by hand: the others choose another one at once.
  handsOver: ({ title }) => title.startsWith('Restart '),
};
