import { type Group, type GroupContext, inputError, type PlanContext, type Step } from '../../sdk/index.js';
import { type FoundMember, memberFact, type NatsFacts, peerId } from './nats-ask.js';
import type { NatsConfig } from './nats-conf.js';
import { handOverStep, keepDataStep, leaveStep, type Place, switchOverStep, waitStep } from './nats-steps.js';

type NatsMember = GroupContext<{ member: FoundMember }>['members'][number];

const found = (member: NatsMember): FoundMember | undefined => (member.state === 'seen' ? member.found?.member : undefined);

const refuse = (
  code: 'group-unknown' | 'quorum-lost',
  { server, cluster }: Pick<Place, 'server' | 'cluster'>,
  why: string,
  hint: string,
) => inputError({ code, what: `plan nats of the cluster ${cluster}`, on: server, why, hint });

/** Whether a member has data that a majority has agreed on once. */
const hasData = (own: FoundMember | undefined): boolean => own?.cluster !== undefined || own?.orphan === true;

/** A member without data gets it from a majority. Without one it could only make an empty cluster beside the data. */
function refuseEmpty(place: Place, own: FoundMember | undefined, members: readonly NatsMember[]): void {
  if (hasData(own) || members.some((member) => found(member)?.serves)) return;
  const withData = members.filter((member) => hasData(found(member)));
  if (withData.length === 0) return;
  const names = withData.map(({ server }) => server).join(', ');
  throw refuse(
    'quorum-lost',
    place,
    `no majority of the members serves: ${names} has data`,
    'start the members that have data (taskservs/nats/README.md)',
  );
}

/** Data of a member that is no member any more, as the leader knows. */
function isFormer(server: string, own: FoundMember | undefined, members: readonly NatsMember[]): boolean {
  const peers = members.map((member) => found(member)?.peers).find(Boolean);
  return hasData(own) && !own?.serves && peers !== undefined && !peers.includes(peerId(server));
}

/**
 * Adds to the steps of a member those that depend on the others. All members have the same configuration, so that they find
 * each other by themselves: a new one gets its data, and one with the name of a lost one takes its place.
 *
 * @param steps with the start of nats
 * @throws inputError if the answers of the others do not allow a decision
 */
export function planMember(config: NatsConfig, context: PlanContext, steps: Step[]): Step[] {
  const { members = [] } = (context.group ?? {}) as Partial<GroupContext<{ member: FoundMember }>>;
  const server = context.host.name;
  const cluster = config.cluster ?? '';
  const own = members.find((member) => member.server === server);
  if (!own) throw refuse('group-unknown', { server, cluster }, 'it is not known who the members are', 'update the worker');
  const others = members.filter((member) => member !== own).map(({ address }) => address);
  const place: Place = { config, cluster, server, others };
  const known = found(own);
  refuseEmpty(place, known, members);
  const index = steps.findIndex((step) => 'service' in step);
  const start = index < 0 ? steps.length : index;
  const former = isFormer(server, known, members) ? [keepDataStep(cluster)] : [];
  const stops = steps.some((step) => 'service' in step && step.service.change === 'restart');
  // Who leads may change until then: the step itself looks.
  const lead = stops && hasData(known) && members.length > 1 ? [handOverStep(place)] : [];
  const founds = members[0] === own && members.every((member) => !hasData(found(member)));
  const waits = index < 0 && former.length === 0 && (known?.serves || !hasData(known)) ? [] : [waitStep(place, founds)];
  return [...steps.slice(0, start), ...lead, ...former, ...steps.slice(start), ...waits];
}

/** The members of a cluster. */
export const natsGroup: Group<NatsConfig, NatsFacts> = {
  of: ({ cluster }) => cluster,
  facts: ({ monitoringPort }) => ({ member: memberFact(monitoringPort) }),
  standing: ({ member: { cluster, orphan, serves, leads, voters, runs, why } }) => {
    const because = why ?? (serves || (cluster === undefined && !orphan && !runs) ? undefined : 'no majority agrees with it');
    return {
      ...(cluster !== undefined && { group: cluster }),
      // Who has an id is seen, though it counts for no group.
      ...(orphan && { id: 'orphan' }),
      serves,
      ...(leads && { leads: true }),
      ...(voters !== undefined && { voters }),
      ...(because && { why: because }),
    };
  },
  quorum: 'majority',
  handOver: (config, { server }, { name, members }, to) => {
    if (to)
      throw inputError({
        ...{ code: 'cannot-switch-over', what: `switch over the leader of the nats cluster ${name}`, on: to.server },
        ...{ why: 'NATS itself chooses the next leader', hint: 'omit --to' },
      });
    const others = members.filter((member) => member.server !== server).map(({ address }) => address);
    return [switchOverStep({ config, cluster: name, server, others })];
  },
  // A new machine of the same name takes its place. While those run that saw a removal, NATS lets no such member in again.
  leave: (config, leaving, { name, members }) =>
    members.some(({ server }) => server === leaving.server) ? [] : [leaveStep({ config, cluster: name }, leaving.server)],
};
