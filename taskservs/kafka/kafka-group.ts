import { type Group, type GroupContext, inputError, type PlanContext, type Step } from '../../sdk/index.js';
import { type FoundMember, type KafkaFacts, memberFact } from './kafka-ask.js';
import type { KafkaConfig } from './kafka-config.js';
import { computeNode, type Hosts, LOOPBACK } from './kafka-places.js';
import {
  copiesStep,
  createFounding,
  joinStep,
  keepDataStep,
  leaveStep,
  noteStep,
  type Place,
  readyStep,
  spareStep,
  voteStep,
} from './kafka-steps.js';

/** A member of a group, with its answers. */
export type KafkaMember = GroupContext<{ member: FoundMember }>['members'][number];

const found = (member: KafkaMember): FoundMember | undefined => (member.state === 'seen' ? member.found?.member : undefined);

/** Whether a member with data decides if it runs. One that does not run is what it was when it was last worked on. */
const hasVote = ({ data, voters, joining }: FoundMember): boolean =>
  data !== undefined && (voters.length > 0 ? voters.some(({ directory }) => directory === data.directory) : !joining);

function why({ data, voters, joining, serves }: FoundMember): string | undefined {
  if (!data) return 'it has no data yet';
  if (serves) return undefined;
  if (voters.length === 0) return joining ? 'it has no vote yet' : 'Kafka does not answer on it, or no majority agrees with it';
  if (voters.some(({ directory }) => directory === data.directory)) return 'it takes no clients, or no majority agrees with it';
  return joining ? 'it gets the data, and has no vote yet' : 'it has no vote any more';
}

type RefusalCode = 'group-unknown' | 'groups-differ' | 'quorum-lost';

const refuse = (code: RefusalCode, { server, cluster }: Pick<Place, 'server' | 'cluster'>, why: string, hint: string) =>
  inputError({ code, what: `plan kafka of the cluster ${cluster}`, on: server, why, hint });

const names = (members: readonly KafkaMember[]): string => members.map(({ server }) => server).join(', ');

/** Steps around the start of a member. */
interface AroundStart {
  before: Step[];
  after: Step[];
}

/** The members that serve, of one cluster: the one with most of them. */
function findServing(members: readonly KafkaMember[]): { cluster: string; members: KafkaMember[] } | undefined {
  const serving = members.filter((member) => found(member)?.serves);
  const clusters = [...new Set(serving.flatMap((member) => found(member)?.data?.cluster ?? []))].map((cluster) => ({
    cluster,
    members: serving.filter((member) => found(member)?.data?.cluster === cluster),
  }));
  return clusters.sort((a, b) => b.members.length - a.members.length)[0];
}

/** What a member without a place in the cluster does: the first one founds it if none is there, each other one joins. */
function enter(place: Place, own: KafkaMember, members: readonly KafkaMember[], serves: boolean): AroundStart {
  const join = { before: [joinStep(place)], after: [voteStep(place)] };
  if (serves) return join;
  const silent = members.filter(({ state }) => state === 'silent');
  if (silent.length > 0)
    throw refuse(
      'group-unknown',
      place,
      `${names(silent)} may have the cluster, and does not answer`,
      `bring ${names(silent)} back: the only copy of the data may be there`,
    );
  const withData = members.filter((member) => found(member)?.data);
  if (withData.length > 0)
    throw refuse(
      'quorum-lost',
      place,
      `no majority of the members serves: ${names(withData)} has data`,
      'start the members that have data (taskservs/kafka/README.md)',
    );
  return members[0] === own ? { before: [createFounding(place)], after: [] } : join;
}

/** Decides the membership of a member from what all members say. */
function decide(place: Place, own: KafkaMember, members: readonly KafkaMember[]): AroundStart {
  const { data, joining, serves } = found(own) ?? {};
  const serving = findServing(members);
  if (!data) return enter(place, own, members, serving !== undefined);
  const isForeign = data.node !== computeNode(place.server);
  if (!serving) {
    if (isForeign)
      throw refuse(
        'groups-differ',
        place,
        'its data is that of a server with another name',
        `bring the other members back, or move /var/lib/kafka/data on ${place.server} away`,
      );
    return { before: [], after: [] };
  }
  const ofCluster = data.cluster === serving.cluster && !isForeign;
  const voters = serving.members.flatMap((member) => found(member)?.voters ?? []);
  const listed = ofCluster && voters.some(({ directory }) => directory === data.directory);
  // One that lost its vote to no other machine has data of now once it follows.
  const replaced = voters.some(({ node, directory }) => node === data.node && directory !== data.directory);
  if (ofCluster && (listed || joining || !replaced)) return { before: [], after: joining || !listed ? [voteStep(place)] : [] };
  if (serves)
    throw refuse(
      'groups-differ',
      place,
      `it serves another cluster than ${names(serving.members)}`,
      `if its data may go: systemctl stop kafka on ${place.server}; its data is kept beside the new one then`,
    );
  const { before, after } = enter(place, own, members, true);
  return { before: [keepDataStep(place, data), ...before], after };
}

/** Two servers would be taken for one. */
function refuseSameNumber(place: Place): void {
  const same = [...place.others].find((other) => computeNode(other) === computeNode(place.server));
  if (same === undefined) return;
  throw refuse('groups-differ', place, `its name gives the same number as that of ${same}`, 'use another name for one of the two');
}

/** What a member on loopback tells the others is their own loopback. */
function refuseLoopback(place: Place): void {
  if (place.others.length === 0 || place.peers.told !== LOOPBACK) return;
  throw refuse(
    'group-unknown',
    place,
    'no address is known at which the other members reach it',
    `set "privateAddress" for the host ${place.server}`,
  );
}

/**
 * Adds to the steps of a member those that depend on the others.
 *
 * @param steps with the start of kafka
 * @throws inputError if the answers of the others do not allow a decision
 */
export function planMember(
  config: KafkaConfig & { cluster: string },
  context: PlanContext,
  { steps, peers }: { steps: Step[]; peers: Hosts },
): Step[] {
  const { members = [] } = (context.group ?? {}) as Partial<GroupContext<{ member: FoundMember }>>;
  const server = context.host.name;
  const { cluster } = config;
  const own = members.find((member) => member.server === server);
  if (!own) throw refuse('group-unknown', { server, cluster }, 'it is not known who the members are', 'update the worker');
  const others = members.filter((member) => member !== own).map(({ address }) => address);
  const place: Place = { config, cluster, server, peers, others };
  refuseSameNumber(place);
  refuseLoopback(place);
  const known = found(own);
  const { before, after } = decide(place, own, members);
  const index = steps.findIndex((step) => 'service' in step);
  const start = index < 0 ? steps.length : index;
  const stops = steps.some((step) => 'service' in step && step.service.change === 'restart');
  // Who is behind may change until then: the step itself looks, where the present files say.
  const spare = stops && known?.data && others.length > 0 ? [spareStep(place)] : [];
  const waits = index < 0 && after.length === 0 && known?.serves ? [] : [readyStep(place)];
  const notes = known?.data && !known.clustered && before.length === 0 ? [noteStep(place)] : [];
  return [...spare, ...steps.slice(0, start), ...before, ...steps.slice(start), ...after, ...waits, ...notes];
}

/** The members of a cluster. */
export const kafkaGroup: Group<KafkaConfig, KafkaFacts> = {
  of: ({ cluster }) => cluster,
  facts: () => ({ member: memberFact() }),
  standing: ({ member }) => {
    const because = why(member);
    return {
      // Without a vote it does not count for the quorum.
      ...(member.data && hasVote(member) && { group: member.data.cluster }),
      ...(member.data && { id: member.data.directory }),
      serves: member.serves,
      ...(member.voters.length > 0 && { voters: member.voters.length }),
      ...(member.leads && { leads: true }),
      ...(because && { why: because }),
    };
  },
  quorum: 'majority',
  // A new machine of the same name takes the vote of the former one once it has the data, and then its data.
  leave(config, { server, standing }, { name, members }) {
    const at = { config, cluster: name };
    if (!members.some((member) => member.server === server)) return [leaveStep(at, server)];
    // What is lost has lost its data already.
    return standing?.serves ? [copiesStep(at, server)] : [];
  },
};
