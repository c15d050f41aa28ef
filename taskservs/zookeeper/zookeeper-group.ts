import { type Group, type GroupContext, inputError, type PlanContext, type Step } from '../../sdk/index.js';
import { type FoundMember, memberFact, type ZookeeperFacts } from './zookeeper-ask.js';
import type { ZookeeperConfig } from './zookeeper-config.js';
import {
  announceStep,
  createFounding,
  joinStep,
  keepDataStep,
  leaveStep,
  type Place,
  voteStep,
  writeClients,
  writePeers,
  type ZookeeperMember,
} from './zookeeper-steps.js';

const found = (member: ZookeeperMember): FoundMember | undefined => (member.state === 'seen' ? member.found?.member : undefined);

function why({ data, serves }: FoundMember): string | undefined {
  if (!data) return 'it has no data yet';
  if (serves) return undefined;
  return data.cluster === undefined ? 'it has no vote yet' : 'ZooKeeper does not answer on it, or follows no majority';
}

type RefusalCode = 'group-unknown' | 'groups-differ' | 'quorum-lost';

const refuse = (code: RefusalCode, { server, cluster }: Pick<Place, 'server' | 'cluster'>, why: string, hint: string) =>
  inputError({ code, what: `plan zookeeper of the cluster ${cluster}`, on: server, why, hint });

const names = (members: readonly ZookeeperMember[]): string => members.map(({ server }) => server).join(', ');

/** The number of who founds a cluster. No other member gets it. */
const FOUNDER = '1';

/** Steps around the start of a member. */
interface AroundStart {
  before: Step[];
  after: Step[];
}

/** What a member without a place in the cluster does: the first one founds it if none is there, each other one joins. */
function enter(place: Place, own: ZookeeperMember, members: readonly ZookeeperMember[], serves: boolean): AroundStart {
  const join = { before: [joinStep(place)], after: [voteStep(place, true)] };
  if (serves) return join;
  const silent = members.filter(({ state }) => state === 'silent');
  if (silent.length > 0)
    throw refuse(
      'group-unknown',
      place,
      `${names(silent)} may have the cluster, and does not answer`,
      `bring ${names(silent)} back: the only copy of the data may be there`,
    );
  // A founder has the data before its vote. One that only follows has a copy, and may have begun in vain.
  const withData = members.filter((member) => found(member)?.data?.cluster || found(member)?.data?.id === FOUNDER);
  if (withData.length > 0)
    throw refuse(
      'quorum-lost',
      place,
      `no majority of the members serves: ${names(withData)} has data`,
      'start the members that have data; if a majority is lost, begin again on one (taskservs/zookeeper/README.md)',
    );
  return members[0] === own ? { before: [createFounding(place)], after: [voteStep(place, false)] } : join;
}

const writeEnd = (end: string): string => (URL.canParse(`tcp://${end}`) ? new URL(`tcp://${end}`).host : end);

/** Whether two ends are the same. Java writes addresses of version 6 in full. */
const isSameEnd = (one: string, other: string): boolean => one === other || writeEnd(one) === writeEnd(other);

/** Decides the membership of a member from what all members say. */
function decide(place: Place, own: ZookeeperMember, members: readonly ZookeeperMember[]): AroundStart {
  const data = found(own)?.data;
  const serving = members.filter((member) => found(member)?.serves && found(member)?.data?.cluster);
  const list = serving.flatMap((member) => found(member)?.list ?? []);
  const cluster = serving.map((member) => found(member)?.data?.cluster).find(Boolean);
  if (!data) return enter(place, own, members, serving.length > 0);
  const listed = list.find(({ id, peers }) => id === data.id && peers.split(':')[0] === place.server);
  if (data.cluster === undefined) {
    // It has begun: what is left is its vote. One that is not listed begins again, with the members of now.
    if (serving.length > 0 && !listed) return enter(place, own, members, true);
    return { before: [], after: [voteStep(place, false)] };
  }
  if (cluster === undefined) return { before: [], after: [] };
  if (cluster !== data.cluster || !listed) {
    if (found(own)?.serves)
      throw refuse(
        'groups-differ',
        place,
        `it serves another cluster than ${names(serving.filter((one) => one !== own))}`,
        `if its data may go: systemctl stop zookeeper on ${place.server}; its data is kept beside the new one then`,
      );
    const { before, after } = enter(place, own, members, true);
    return { before: [keepDataStep(place.cluster, data), ...before], after };
  }
  const asWanted = listed.peers === writePeers(place.server, place.config) && isSameEnd(listed.clients, writeClients(place));
  return { before: [], after: asWanted ? [] : [announceStep(place, listed)] };
}

/**
 * Adds to the steps of a member those that depend on the others.
 *
 * @param steps with the start of zookeeper
 * @param clients address on which it listens
 * @throws inputError if the answers of the others do not allow a decision
 */
export function planMember(config: ZookeeperConfig, context: PlanContext, { steps, clients }: { steps: Step[]; clients: string }) {
  const { members = [] } = (context.group ?? {}) as Partial<GroupContext<{ member: FoundMember }>>;
  const server = context.host.name;
  const cluster = config.cluster ?? '';
  const own = members.find((member) => member.server === server);
  if (!own) throw refuse('group-unknown', { server, cluster }, 'it is not known who the members are', 'update the worker');
  const place: Place = { config, cluster, server, clients, others: members.filter((member) => member !== own) };
  const { before, after } = decide(place, own, members);
  const index = steps.findIndex((step) => 'service' in step);
  const start = index < 0 ? steps.length : index;
  return [...steps.slice(0, start), ...before, ...steps.slice(start), ...after];
}

/** The members of a cluster. */
export const zookeeperGroup: Group<ZookeeperConfig, ZookeeperFacts> = {
  of: ({ cluster }) => cluster,
  facts: () => ({ member: memberFact() }),
  standing: ({ member }) => {
    const because = why(member);
    return {
      // Without a vote it does not count for the quorum.
      ...(member.data?.cluster && { group: member.data.cluster }),
      ...(member.data && { id: member.data.id }),
      serves: member.serves && member.data?.cluster !== undefined,
      ...(member.list.length > 0 && {
        ...{ voters: member.list.length, lists: member.list.map(({ peers }) => peers.split(':')[0] ?? '') },
      }),
      ...(member.leads && { leads: true }),
      ...(because && { why: because }),
    };
  },
  quorum: 'majority',
  leave: (config, leaving, { name, members }) => [
    leaveStep(
      {
        ...{ config, cluster: name, server: leaving.server, clients: '0.0.0.0' },
        others: members.filter(({ server }) => server !== leaving.server),
      },
      leaving.server,
    ),
  ],
};
