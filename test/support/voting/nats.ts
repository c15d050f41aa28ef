import { type QuorumWorld, StepFailure } from '../../../sdk/testing/index.js';
import { nats } from '../../../taskservs/nats/nats.js';
import { peerId } from '../../../taskservs/nats/nats-ask.js';
import type { VotingService } from '../voting-model.js';

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

/** How nats behaves as a group. */
export const natsModel: VotingService = {
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
};
