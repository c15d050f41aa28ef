import { inputError } from '../../core/errors.js';
import type { Step } from '../../core/host/step.js';
import type { Member } from '../../core/taskserv/groups/group.js';
import type { GroupStatus, MemberStatus } from '../../core/taskserv/groups/group-status.js';
import { clipText } from '../../core/text.js';
import type { PooledGroup } from './pool-groups.js';

/** Standing of a member, for the order of the work and for people. */
export interface StandingMark {
  /** Name of its group. */
  group: string;
  state: Member['state'];
  serves?: true;
  leads?: true;
  /** Its data belongs to the group. */
  joined?: true;
  /** Members that decide, as the group itself counts them. */
  voters?: number;
  /** It leads, and its taskserv wants the leader to be changed before the others. */
  first?: true;
  /** What is wrong with it. */
  why?: string;
}

/**
 * Standing of a server's member of a group.
 *
 * @param version that the member is to have
 */
export function describeStanding(
  { context, rules }: Pick<PooledGroup, 'context' | 'rules'>,
  server: string,
  version: string,
): StandingMark | undefined {
  const member = context.members.find((one) => one.server === server);
  if (!member) return undefined;
  const isFirst = member.standing?.leads && rules.leaderFirst?.(member, version);
  const { serves, leads, group, voters, why } = member.standing ?? {};
  return {
    group: context.name,
    state: member.state,
    ...(serves && { serves }),
    ...(leads && { leads }),
    ...(group !== undefined && { joined: true }),
    ...(serves && voters !== undefined && { voters }),
    ...(isFirst && { first: true }),
    ...(why !== undefined && { why: clipText(why, 300) }),
  };
}

/** A group for people. */
export function describeGroup(group: PooledGroup): GroupStatus {
  const members = group.context.members.map(({ server, state, standing = { serves: false } }): MemberStatus => {
    const { serves, leads, why } = standing;
    const clock = group.clocks?.[server];
    return {
      ...{ server, state },
      ...(serves && { serves }),
      ...(leads && { leads }),
      ...(why !== undefined && { why: clipText(why, 300) }),
      ...(clock !== undefined && { clock }),
    };
  });
  return { name: group.context.name, needed: countQuorum(group).needed, members };
}

/** What a member says is its own text. All else is from the platform and the definition, which a value of a host must not hide. */
export const hideWhy = <T extends { why?: string }>(one: T, hide: (text: string) => string): T =>
  one.why === undefined ? one : { ...one, why: hide(one.why) };

/** The same for a group. */
export const hideWhys = (group: GroupStatus, hide: (text: string) => string): GroupStatus => ({
  ...group,
  members: group.members.map((one) => hideWhy(one, hide)),
});

/** How many members a group needs, and which it has. */
export interface Quorum {
  needed: number;
  /** Members that count: as the group itself says, or else those that belong to it. */
  size: number;
  /** Those that belong to the group; of silent ones the inventory says it. */
  belong: Member[];
  serve: Member[];
}

/** The members of a group, as far as they are counted. */
export interface SeenMembers {
  asked: { members: readonly Pick<PooledGroup['asked']['members'][number], 'server' | 'installed'>[] };
  rules: Pick<PooledGroup['rules'], 'quorum'>;
  all: readonly Member[];
}

/** Counts the members of a group that belong to it and that serve. */
export function countQuorum({ asked, rules, all }: SeenMembers): Quorum {
  const installed = new Set(asked.members.flatMap((one) => (one.installed ? [one.server] : [])));
  const served = new Set(all.flatMap(({ standing }) => (standing?.serves && standing.group) || []));
  // Data of another group than the one that serves: a former member, or one from before a restored backup.
  const isFormer = ({ standing }: Member) => !standing?.serves && served.size > 0 && !served.has(standing?.group ?? '');
  const belong = all.filter((one) =>
    one.standing?.group === undefined ? one.state === 'silent' && installed.has(one.server) : !isFormer(one),
  );
  const serve = belong.filter(({ standing }) => standing?.serves);
  // The group itself knows best: it still counts members that got a new machine, and not those that have left.
  const voters = serve.flatMap(({ standing }) => standing?.voters ?? []);
  const size = voters.length > 0 ? Math.max(serve.length, ...voters) : belong.length;
  return { needed: countNeeded(rules.quorum, size), size, belong, serve };
}

/** How many members of a group of this size have to serve. */
export function countNeeded(quorum: PooledGroup['rules']['quorum'], size: number): number {
  if (quorum === 'one') return Math.min(1, size);
  return size === 0 ? 0 : Math.floor(size / 2) + 1;
}

/** What is planned for a member. */
interface PlannedChange {
  steps: readonly Step[];
  /** How many of the first steps are the host's own. */
  ahead?: number;
  /** Positions of the steps that only repair. */
  repairs?: readonly number[];
}

/**
 * Refuses steps on a member that the group cannot do without, or that could make a second group.
 *
 * @throws inputError `groups-differ`, `group-unknown`, `quorum-lost`
 */
export function refuseHarm(group: PooledGroup, server: string, decided: PlannedChange): void {
  const own = decided.steps.slice(decided.ahead ?? 0);
  if (own.length === 0) return;
  const { taskserv, repairs: coming = [] } = group.asked;
  const what = `change ${taskserv}`;
  refuseSeveral(group, server, what);
  const { needed, size, belong, serve } = countQuorum(group);
  const self = group.context.members.find((one) => one.server === server);
  const isMember = belong.some((one) => one.server === server);
  refuseFounding(group, server, belong);
  const silent = group.all.filter(({ state }) => state === 'silent');
  if (!isMember && belong.every(({ state }) => state === 'silent') && silent.length > 0)
    throw inputError({
      ...{ code: 'group-unknown', what: `add a member to the ${taskserv} group "${group.context.name}"`, on: server },
      why: `${listNames(silent)} did not answer, so it is not known whether the group exists`,
      hint: `make ${listNames(silent)} reachable: the only copy of the data may be there; ${IF_LOST}`,
    });
  if (size < 2) return;
  // Those that are repaired first count: the order of the work is such that they serve by then.
  const will = belong.filter((one) => serve.includes(one) || (one.state === 'seen' && coming.includes(one.server)));
  const refuse = (why: string) => {
    throw inputError({ code: 'quorum-lost', what, on: server, why, hint: describeRecovery(group, will) });
  };
  const onlyRepairs = isMember && !self?.standing?.serves && (decided.repairs?.length ?? 0) >= own.length;
  if (will.length < needed && !onlyRepairs)
    refuse(`${will.length} of ${size} members of the group "${group.context.name}" serve, and ${needed} are needed`);
  const without = will.filter((one) => one.server !== server).length;
  if (self?.standing?.serves && without < needed && own.some(mayInterrupt))
    refuse(
      `without ${server}, ${without} of ${size} members of the group "${group.context.name}" would serve, and ${needed} are needed`,
    );
}

/** A person says that nothing is to be waited for. What is only left out of the definition counts on. */
const IF_LOST = 'only if a server is lost for good, delete it by `provisioning server delete`, then run the command again';

/**
 * A group all of whose members leave would be founded again, empty, beside the one that has the data.
 *
 * @throws inputError `quorum-lost`
 */
function refuseFounding({ asked, context }: PooledGroup, server: string, belong: readonly Member[]): void {
  const stays = belong.filter((one) => context.members.includes(one));
  if (belong.length === 0 || stays.length > 0) return;
  throw inputError({
    ...{ code: 'quorum-lost', what: `add a member to the ${asked.taskserv} group "${context.name}"`, on: server },
    why: `none of its members stays: the definition names none of ${listNames(belong)}`,
    hint: `keep one of ${listNames(belong)} in the definition until the new ones have joined, then remove it; ${IF_LOST}`,
  });
}

/** Members that serve different groups. If none serves: members with data of different groups. */
export function refuseSeveral({ context, all, asked }: PooledGroup, server: string, what: string): void {
  const byGroup = new Map<string, string[]>();
  const serving = all.filter(({ standing }) => standing?.serves);
  // Its taskserv decides what a former member does with its data, as long as that is not in use.
  for (const { server: name, standing } of serving.length > 0 ? serving : all)
    if (standing?.group !== undefined) byGroup.set(standing.group, [...(byGroup.get(standing.group) ?? []), name]);
  if (byGroup.size < 2) return;
  const parts = [...byGroup.values()].map((names) => names.join(', '));
  throw inputError({
    ...{ code: 'groups-differ', what, on: server },
    why: `members of the group "${context.name}" have the data of ${byGroup.size} different groups: ${parts.join(' / ')}`,
    hint: `move the data of the members away that do not belong to it, or give them another ${asked.taskserv} group`,
  });
}

const listNames = (members: readonly Member[]): string => members.map(({ server }) => server).join(', ');

/** What helps: by name, each member that does not serve. */
export function describeRecovery({ all }: PooledGroup, serving: readonly Member[]): string {
  const down = all.filter((one) => !serving.includes(one));
  const said = down.map(({ server, state, standing }) => {
    if (state === 'expected') return `${server} is not installed`;
    if (state === 'silent') return `${server} does not answer`;
    return `${server} does not serve${standing?.why ? ` (${clipText(standing.why, 120)})` : ''}`;
  });
  if (said.length === 0) return 'add a member first, or change the service with the whole group stopped';
  return `${said.join('; ')}: bring these back first, or restore a backup, then run the command again`;
}

/** Whether a service may stop serving by a step. What a script does is not known. */
export function mayInterrupt(step: Step): boolean {
  if ('run' in step) return step.keepsServing !== true;
  if ('service' in step) return step.service.state === 'stopped' || step.service.change !== 'reload';
  if ('artifact' in step) return step.artifact.state === 'absent';
  return 'package' in step || 'restore' in step;
}
