import { type QuorumWorld, StepFailure } from '../../../sdk/testing/index.js';
import { redis } from '../../../taskservs/redis/redis.js';
import type { VotingService } from '../voting-model.js';

const version = { version: '5:7.0.15' };
const FILES = ['program', 'dropIn', 'conf', 'sentinelWanted', 'sentinelDropIn'];

/** What sentinel of a host says. It votes as long as its server runs. */
function viewOf(world: QuorumWorld, node: ReturnType<QuorumWorld['node']>) {
  const group = world.groups.get(node.data?.group ?? '');
  if (!node.runs || !group) return {};
  const voters = node.list.filter(({ votes }) => votes);
  const isReached = ({ id }: { id: string }) =>
    node.connected && [...world.nodes.values()].some((one) => one.runs && one.connected && one.data?.id === id);
  const usable = voters.filter((one) => one.id === node.data?.id || isReached(one)).length;
  const primary = group.list.find(({ id }) => id === group.leader)?.server ?? node.server;
  const view = { primary, voters: voters.length, usable, members: node.list.map(({ server }) => server) };
  const leads = world.leads(node.server);
  return { view, role: leads ? 'primary' : 'replica', ...(!leads && { follows: primary, linked: world.serves(node.server) }) };
}

/** Redis with sentinel, as the model plays it: a write counts once a client has confirmed it by `WAIT`. */
export const keyValueModel: VotingService = {
  taskserv: redis,
  written: { cluster: 'main', password: { $secret: 'p' }, persistence: 'append-only' },
  unit: 'redis-server',
  facts: {
    ...{ package: version, sentinelPackage: version, sentinel: { active: true, enabled: true, stale: false } },
    ...Object.fromEntries(FILES.map((file) => [file, 'as planned'])),
  },
  answer(world, server) {
    const node = world.node(server);
    const has = node.data !== undefined;
    return {
      member: {
        ...(node.data && { group: node.data.group, noted: node.data.group }),
        ...{ data: has, knows: has, runs: node.runs, name: server },
        ...viewOf(world, node),
      },
    };
  },
  acts: [
    [/^(Start|Restart|Stop) redis-sentinel/, () => {}],
    [
      /^Add /,
      (world, server) => {
        const group = world.servingGroup(server);
        if (!group) throw new StepFailure('no other member answers that knows the primary');
        const leader = group.list.find(({ id }) => id === group.leader);
        if (leader?.server === server) throw new StepFailure('the others still take the former one for the primary');
      },
    ],
    [
      /^Start /,
      (world, server) => {
        const node = world.node(server);
        if (!node.data && !node.founds) {
          world.add(server);
          world.start(server);
          return world.promote(server);
        }
        // A member is who has its name, whatever machine its data comes from.
        const named = world.groups.get(node.data?.group ?? '')?.list.find((entry) => entry.server === server);
        if (named && node.data) node.data.id = named.id;
        world.start(server);
      },
    ],
    [
      /^Wait until /,
      (world, server) => {
        if (!world.serves(server)) throw new StepFailure('its sentinel reaches no majority of the others');
      },
    ],
  ],
  handsOver: ({ title }) => title.startsWith('Hand over the lead'),
};
