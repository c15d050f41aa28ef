import { type QuorumWorld, StepFailure } from '../../../sdk/testing/index.js';
import { vault } from '../../../taskservs/vault/vault.js';
import type { VotingService } from '../voting-model.js';

/** Members that run and are sealed: a person unseals them. */
const sealed = new WeakMap<QuorumWorld, Set<string>>();

const sealedIn = (world: QuorumWorld): Set<string> => {
  const known = sealed.get(world) ?? new Set();
  sealed.set(world, known);
  return known;
};

/** Ids given to machines that have not joined yet. */
const given = new WeakMap<QuorumWorld, Map<string, number>>();

const givenIn = (world: QuorumWorld): Map<string, number> => {
  const known = given.get(world) ?? new Map();
  given.set(world, known);
  return known;
};

/** An id of vault, for one of the model's. */
const writeId = (server: string, id: string): string => `${server}-${Number(id.replace(/\D/g, '')).toString(16).padStart(8, '0')}`;

/** What its own machine has: the data of a member, or an id without data. */
function idOf(world: QuorumWorld, server: string): string | undefined {
  const node = world.node(server);
  if (node.data) return writeId(server, node.data.id);
  return givenIn(world).get(server) === node.machine ? writeId(server, `id-${90_000 + node.machine}`) : undefined;
}

/** Lets a person unseal a member: it serves with its data, or joins. */
function unseal(world: QuorumWorld, server: string): void {
  const node = world.node(server);
  sealedIn(world).delete(server);
  if (node.runs) return;
  if (node.data) {
    world.start(server);
    return;
  }
  const group = world.servingGroup(server);
  if (!group) throw new StepFailure('it is sealed, and no other member serves');
  if (!group.list.some((entry) => entry.server === server && !entry.started)) world.add(server);
  world.start(server);
  world.promote(server);
}

/** How vault behaves as a group. */
export const vaultModel: VotingService = {
  taskserv: vault,
  written: {
    ...{ cluster: 'main', token: { $secret: 't' } },
    tls: { certificate: { $secret: 'c' }, key: { $secret: 'k' }, authority: { $secret: 'ca' } },
  },
  unit: 'vault',
  facts: {
    ...{ package: { version: '2.0.4-1' }, python3: { version: '3.11.2' } },
    ...Object.fromEntries(
      ['aptKey', 'aptPin', 'aptSource', 'certificate', 'key', 'authority', 'token', 'conf'].map((file) => [file, 'as planned']),
    ),
  },
  answer(world, server) {
    const node = world.node(server);
    const id = idOf(world, server);
    const serves = world.serves(server);
    const listed = node.data && world.groups.get(node.data.group) && node.runs ? node.list : [];
    const state = serves || node.runs ? 'unsealed' : sealedIn(world).has(server) ? 'sealed' : 'silent';
    return {
      member: {
        ...(id !== undefined && { id }),
        ...{ full: node.data !== undefined, state, serves, leads: world.leads(server) },
        ...(node.data && serves && { cluster: node.data.group }),
        ...(serves && { peers: listed.map((one) => ({ id: writeId(one.server, one.id), votes: one.votes })) }),
        tidies: Math.max(3, world.nodes.size),
      },
    };
  },
  acts: [
    [/^Let the vault cluster/, () => {}],
    [/^Give \S+ an id/, (world, server) => void givenIn(world).set(server, world.node(server).machine)],
    [
      /^Add /,
      (world, server) => {
        const node = world.node(server);
        const group = world.servingGroup(server);
        if (!group) throw new StepFailure('no other member serves');
        group.list = group.list.filter((entry) => entry.server !== server);
        givenIn(world).set(server, node.machine);
      },
    ],
    [
      /^Start /,
      (world, server) => {
        const node = world.node(server);
        sealedIn(world).add(server);
        // Nothing waits for the person where no other member serves.
        if (node.data) {
          unseal(world, server);
          return;
        }
        // A person initializes the cluster once, on the first member.
        if (world.groups.size > 0) return;
        node.founds = true;
        world.start(server);
      },
    ],
    [
      /^Restart /,
      (world, server) => {
        world.stop(server);
        sealedIn(world).add(server);
      },
    ],
    [
      /^Keep the former data/,
      (world, server) => {
        const { data } = world.node(server);
        // The step asks the others once more.
        const group = world.servingGroup(server);
        if (!group) throw new StepFailure('no other member serves');
        if (data && group.list.some(({ id }) => id === data.id)) throw new StepFailure('the others know it as a member');
        world.putAside(server);
      },
    ],
    [
      /^Wait until /,
      (world, server) => {
        unseal(world, server);
        if (!world.serves(server)) throw new StepFailure('no majority agrees with it');
      },
    ],
  ],
  isAddressed: true,
  handsOver: ({ title }) => title.startsWith('Hand over the lead'),
};
