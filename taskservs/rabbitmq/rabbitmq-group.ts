import { type Group, type GroupContext, inputError, type PlanContext, type Step } from '../../sdk/index.js';
import { cookieNameFact, type FoundMember, memberFact, type RabbitmqFacts } from './rabbitmq-ask.js';
import type { RabbitmqConfig } from './rabbitmq-config.js';
import {
  belongStep,
  createFounding,
  createNode,
  joinStep,
  keepDataStep,
  leaveStep,
  type Place,
  spareStep,
} from './rabbitmq-steps.js';

/** A member of a group, with its answers. */
export type RabbitmqMember = GroupContext<{ member: FoundMember; cookie?: string }>['members'][number];

const found = (member: RabbitmqMember): FoundMember | undefined => (member.state === 'seen' ? member.found?.member : undefined);

/** The cluster that a member belongs to. One that was cut off before it noted that belongs to it, too. */
const findCluster = ({ data, joined }: FoundMember): string | undefined => data?.cluster ?? joined;

type RefusalCode = 'group-unknown' | 'groups-differ' | 'quorum-lost';

const refuse = (code: RefusalCode, { server, cluster }: Pick<Place, 'server' | 'cluster'>, why: string, hint: string) =>
  inputError({ code, what: `plan rabbitmq of the cluster ${cluster}`, on: server, why, hint });

const names = (members: readonly RabbitmqMember[]): string => members.map(({ server }) => server).join(', ');

/** What a member does about the others. */
interface Membership {
  /** Steps around its start. */
  before: Step[];
  after: Step[];
  /** It gets another node, which has to be started. */
  starts?: true;
  /** Accounts and vhosts are its work: others have them from it, or from each other. */
  fills: boolean;
}

/** What a member without a place in the cluster does: the first one founds it if none is there, each other one joins. */
function enter(place: Place, own: RabbitmqMember, members: readonly RabbitmqMember[], serves: boolean): Membership {
  const join: Membership = {
    ...{ before: [createNode(place)], after: [joinStep(place), belongStep(place)] },
    ...{ starts: true, fills: false },
  };
  if (serves) return join;
  const silent = members.filter(({ state }) => state === 'silent');
  if (silent.length > 0)
    throw refuse(
      'group-unknown',
      place,
      `${names(silent)} may have the cluster, and does not answer`,
      `bring ${names(silent)} back: the only copy of the messages may be there`,
    );
  const withData = members.filter((member) => {
    const known = found(member);
    return known !== undefined && findCluster(known) !== undefined;
  });
  if (withData.length > 0)
    throw refuse(
      'quorum-lost',
      place,
      `no majority of the members serves: ${names(withData)} has data`,
      'start the members that have data; if a majority is lost, begin again on one (taskservs/rabbitmq/README.md)',
    );
  if (members[0] !== own) return join;
  return { before: [createFounding(place)], after: [belongStep(place)], starts: true, fills: true };
}

/** Decides the membership of a member from what all members say. */
function decide(place: Place, own: RabbitmqMember, members: readonly RabbitmqMember[], stops: boolean): Membership {
  const known = found(own);
  const serving = members.filter((member) => found(member)?.serves && findCluster(found(member) as FoundMember));
  if (!known?.data) return enter(place, own, members, serving.length > 0);
  const { node, cluster } = known.data;
  const others = serving.filter((member) => member !== own);
  // Whether it belongs to them is for the others to say.
  const list = (others.length > 0 ? others : serving).flatMap((member) => found(member)?.list ?? []);
  const current = serving.map((member) => findCluster(found(member) as FoundMember)).find(Boolean);
  const waits = [belongStep(place)];
  if (cluster === undefined) {
    if (serving.length === 0) return { before: [], after: waits, fills: true };
    // It was cut off. One that is not in the list begins again.
    if (!list.includes(node)) return enter(place, own, members, true);
    return { before: [], after: [joinStep(place), ...waits], fills: false };
  }
  // It serves together with others that start, and not before.
  if (current === undefined) return { before: [], after: [], fills: false };
  if (current === cluster && list.includes(node))
    return { before: [], after: stops || !known.serves ? waits : [], fills: known.serves };
  if (known.serves)
    throw refuse(
      'groups-differ',
      place,
      `it serves another cluster than ${names(others)}`,
      `if its data may go: systemctl stop rabbitmq-server on ${place.server}; its data is kept beside the new one then`,
    );
  const { before, ...join } = enter(place, own, members, true);
  return { ...join, before: [keepDataStep(place.cluster, node), ...before] };
}

/** A member that starts with another cookie than those that serve is refused by them. */
function refuseCookie(place: Place, cookie: string | undefined, others: readonly RabbitmqMember[]): void {
  const lacking = others.filter((member) => found(member)?.serves && member.found?.cookie !== cookie);
  if (lacking.length === 0) return;
  throw refuse(
    'groups-differ',
    place,
    `it would start with another cookie than ${names(lacking)}`,
    'apply the cookie in a run of its own first, without other changes; start members that are stopped before it',
  );
}

/** What a member does without the others. */
export interface OwnPlan {
  /** With the start of rabbitmq. */
  steps: Step[];
  /** Steps for accounts and vhosts. */
  contents: Step[];
  /** It gets another cookie than it has. */
  setsCookie: boolean;
}

/**
 * Adds to the steps of a member those that depend on the others.
 *
 * @throws inputError if the answers of the others do not allow a decision
 */
export function planMember(config: RabbitmqConfig, context: PlanContext, { steps, contents, setsCookie }: OwnPlan): Step[] {
  const { members = [] } = (context.group ?? {}) as { members?: readonly RabbitmqMember[] };
  const server = context.host.name;
  const cluster = config.cluster ?? '';
  const own = members.find((member) => member.server === server);
  if (!own) throw refuse('group-unknown', { server, cluster }, 'it is not known who the members are', 'update the worker');
  const others = members.filter((member) => member !== own).map(({ address }) => address);
  const place: Place = { cluster, server, others };
  const index = steps.findIndex((step) => 'service' in step);
  const start = index < 0 ? steps.length : index;
  const { before, after, starts, fills } = decide(place, own, members, index >= 0);
  if (setsCookie && (index >= 0 || starts))
    refuseCookie(
      place,
      config.cookie?.$secret,
      members.filter((member) => member !== own),
    );
  const restarts = steps.some((step) => 'service' in step && step.service.change === 'restart');
  const spares = restarts && found(own)?.data && others.length > 0 ? [spareStep(place)] : [];
  const again: Step[] =
    starts && index < 0
      ? [{ title: 'Start rabbitmq-server', service: { name: 'rabbitmq-server', state: 'running', enabled: true } }]
      : [];
  return [...spares, ...steps.slice(0, start), ...before, ...steps.slice(start), ...again, ...after, ...(fills ? contents : [])];
}

function why({ data, serves }: FoundMember): string | undefined {
  if (!data) return 'it has no data yet';
  if (serves) return data.cluster === undefined ? 'it has not got its replicas yet' : undefined;
  return data.cluster === undefined ? 'it has not joined yet' : 'its broker does not run: it may wait for other members';
}

/** The members of a cluster. */
export const rabbitmqGroup: Group<RabbitmqConfig, RabbitmqFacts> = {
  of: ({ cluster }) => cluster,
  facts: (config) => ({ member: memberFact(config), cookie: cookieNameFact(config.cookie) }),
  standing: ({ member }) => {
    const because = why(member);
    const cluster = findCluster(member);
    return {
      ...(cluster !== undefined && { group: cluster }),
      ...(member.data && { id: member.data.node }),
      serves: member.serves && cluster !== undefined,
      ...(member.list.length > 0 && cluster !== undefined && { voters: member.list.length }),
      ...(because && { why: because }),
    };
  },
  quorum: 'majority',
  leave: (_, leaving, { name }) => [leaveStep({ cluster: name, server: leaving.server })],
};
