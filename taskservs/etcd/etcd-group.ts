import { type Group, type GroupContext, inputError, type PlanContext, type Step } from '../../sdk/index.js';
import { type EtcdFacts, type FoundMember, memberFact, peerUrl } from './etcd-ask.js';
import type { EtcdConfig } from './etcd-defaults.js';
import {
  announceStep,
  createFounding,
  type EtcdMember,
  handOverStep,
  joinStep,
  keepDataStep,
  leaveStep,
  type Place,
  promoteStep,
  switchOverStep,
} from './etcd-steps.js';

/** The part of a cluster that serves. */
interface Serving {
  cluster: string;
  members: EtcdMember[];
  /** All members, as those that serve know them. */
  list: FoundMember['list'];
}

const found = (member: EtcdMember): FoundMember | undefined => (member.state === 'seen' ? member.found?.member : undefined);

/** A learner does not decide yet, and who is not in the list does not any more. */
const decides = ({ data, serves, list }: FoundMember): boolean =>
  serves && list.some(({ id, name, learner }) => id === data?.id && name !== '' && !learner);

/** Whether a member with data decides if it runs. One that does not run is what it was when it joined. */
function hasVote({ data, list, joining }: FoundMember): boolean {
  const own = list.find(({ id }) => id === data?.id);
  return own ? !own.learner : !joining;
}

function why({ data, serves, list }: FoundMember): string | undefined {
  if (!data) return 'it has no data yet';
  if (list.length === 0) return 'etcd does not answer on it';
  const own = list.find(({ id }) => id === data.id);
  if (!own) return 'it is not in the list of members any more';
  if (own.learner) return 'it gets the data, and has no vote yet';
  return serves ? undefined : 'no majority agrees with it';
}

/**
 * Finds the cluster that the members form: of those that serve, the one with most members. The first member of the
 * definition decides between two of the same size.
 */
function findServing(members: readonly EtcdMember[]): Serving | undefined {
  const serving = members.filter((member) => {
    const own = found(member);
    return own !== undefined && decides(own);
  });
  const clusters = [...new Set(serving.map((member) => found(member)?.data?.cluster ?? ''))].map((cluster) => ({
    cluster,
    members: serving.filter((member) => found(member)?.data?.cluster === cluster),
  }));
  const [largest] = clusters.sort((a, b) => b.members.length - a.members.length);
  return largest && { ...largest, list: largest.members.flatMap((member) => found(member)?.list ?? []) };
}

type RefusalCode = 'group-unknown' | 'groups-differ' | 'quorum-lost';

const refuse = (code: RefusalCode, { server, cluster }: Pick<Place, 'server' | 'cluster'>, why: string, hint: string) =>
  inputError({ code, what: `plan etcd of the cluster ${cluster}`, on: server, why, hint });

const names = (members: readonly EtcdMember[]): string => members.map(({ server }) => server).join(', ');

/** Steps around the start of a member. */
interface AroundStart {
  before: Step[];
  after: Step[];
}

/** What a member without a place in the cluster does: the first one founds it if none is there, each other one joins. */
function enter(place: Place, own: EtcdMember, members: readonly EtcdMember[], serving: Serving | undefined): AroundStart {
  const join = { before: [joinStep(place)], after: [promoteStep(place)] };
  if (serving) return join;
  const silent = members.filter(({ state }) => state === 'silent');
  if (silent.length > 0)
    throw refuse(
      'group-unknown',
      place,
      `${names(silent)} may have the cluster, and does not answer`,
      `bring ${names(silent)} back: the only copy of the data may be there; if it is lost for good, restore a snapshot (taskservs/etcd/README.md)`,
    );
  const withData = members.filter((member) => found(member)?.data);
  if (withData.length > 0)
    throw refuse(
      'quorum-lost',
      place,
      `no majority of the members serves: ${names(withData)} has data`,
      'start the members that have data; if a majority is lost, restore a snapshot on one (taskservs/etcd/README.md)',
    );
  if (members[0] === own) return { before: [createFounding(place)], after: [] };
  return join;
}

/**
 * Decides the membership of a member from what all members say.
 *
 * @param moved it has run with another address for members
 */
function decide(place: Place, own: EtcdMember, members: readonly EtcdMember[], moved: boolean): AroundStart {
  const { config, cluster, server } = place;
  const data = found(own)?.data;
  const serving = findServing(members);
  if (!data) return enter(place, own, members, serving);
  if (!serving) return { before: [], after: moved ? [announceStep(place, data.id)] : [] };
  const listed = data.cluster === serving.cluster ? serving.list.find(({ id }) => id === data.id) : undefined;
  if (!listed) {
    if (found(own)?.serves)
      throw refuse(
        'groups-differ',
        place,
        `it serves another cluster than ${names(serving.members)}`,
        `if its data may go: systemctl stop etcd on ${server}; its data is kept beside the new one then`,
      );
    const { before, after } = enter(place, own, members, serving);
    return { before: [keepDataStep(cluster, data), ...before], after };
  }
  if (listed.learner) return { before: [], after: [promoteStep(place)] };
  const announced = listed.peers.split(',').includes(peerUrl(server, config));
  return { before: [], after: announced ? [] : [announceStep(place, data.id)] };
}

/** What a member does without the others. */
export interface OwnPlan {
  /** With the start of etcd. */
  steps: Step[];
  /** The present content of /etc/default/etcd. */
  defaults: string;
}

/**
 * Adds to the steps of a member those that depend on the others.
 *
 * @throws inputError if the answers of the others do not allow a decision
 */
export function planMember(config: EtcdConfig, cluster: string, context: PlanContext, { steps, defaults }: OwnPlan): Step[] {
  const { members = [] } = (context.group ?? {}) as Partial<GroupContext<{ member: FoundMember }>>;
  const server = context.host.name;
  const own = members.find((member) => member.server === server);
  if (!own) throw refuse('group-unknown', { server, cluster }, 'it is not known who the members are', 'update the worker');
  const place: Place = { config, cluster, server, others: members.filter((member) => member !== own) };
  const former = /^ETCD_INITIAL_ADVERTISE_PEER_URLS=(.*)$/m.exec(defaults)?.[1];
  const { before, after } = decide(place, own, members, former !== undefined && former !== peerUrl(server, config));
  const index = steps.findIndex((step) => 'service' in step);
  const start = index < 0 ? steps.length : index;
  const stops = steps.some((step) => 'service' in step && step.service.change === 'restart');
  // Who leads may change until then: the step itself looks.
  const lead = stops && found(own)?.data && members.length > 1 ? [handOverStep(place)] : [];
  return [...steps.slice(0, start), ...lead, ...before, ...steps.slice(start), ...after];
}

/** The server of an address for members. What is no address names none. */
const readHost = (url: string): string[] => (URL.canParse(url) ? [new URL(url).hostname] : []);

/** The members of a cluster. */
export const etcdGroup: Group<EtcdConfig, EtcdFacts> = {
  of: ({ cluster }) => cluster,
  facts: (config) => ({ member: memberFact(config) }),
  standing: ({ member }) => {
    const because = why(member);
    return {
      // Without a vote it does not count for the quorum.
      ...(member.data && hasVote(member) && { group: member.data.cluster }),
      ...(member.data && { id: member.data.id }),
      serves: decides(member),
      ...(member.list.length > 0 && { voters: member.list.filter(({ learner }) => !learner).length }),
      ...(member.list.length > 0 && { lists: member.list.flatMap(({ peers }) => peers.split(',').flatMap(readHost)) }),
      ...(member.leads && { leads: true }),
      ...(because && { why: because }),
    };
  },
  quorum: 'majority',
  handOver: (config, leader, { name, members }, to) => [
    switchOverStep(
      { config, cluster: name, server: leader.server, others: members.filter(({ server }) => server !== leader.server) },
      to?.server,
    ),
  ],
  leave: (config, leaving, { name, members }) => [
    leaveStep(
      { config, cluster: name, server: leaving.server, others: members.filter(({ server }) => server !== leaving.server) },
      { server: leaving.server, ...(leaving.standing?.id && { id: leaving.standing.id }) },
    ),
  ],
};
