import { type QuorumWorld, StepFailure } from '../../../sdk/testing/index.js';
import { mariadb } from '../../../taskservs/mariadb/mariadb.js';
import type { VotingService } from '../voting-model.js';

/**
 * A member of Galera gets all data of a majority that it reaches, whatever it has, and is a member by that only. Without one it
 * starts with its own data if that is of the cluster, and founds one only by an order.
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

/** How mariadb behaves as a group. */
export const mariadbModel: VotingService = {
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
        if (data && world.serves(server) && world.majority(data.group).length < 2) throw new StepFailure('no other member serves');
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
};
