import type { Leave } from '../../../activities/service/leave.js';
import type { GroupAt } from '../../../activities/service/pool-groups.js';
import type { TaskservSpec } from '../../../core/definition/definition.js';
import { nameGroup } from '../../../core/definition/group-members.js';
import { memoizeByKey } from '../../../core/definition/service-order.js';
import type { MachinePlan } from '../../../core/operation/machine-plan.js';
import type { WorkScope } from '../../../core/operation/work-scope.js';
import type { PlannedStep } from '../../../core/plan/planned-step.js';
import { NotBegun } from '../../operation/failures.js';
import type { ActivityUser, AnyPhase, AttemptRunner, DecisionState, ProgressView, Recording } from '../../operation/operation.js';
import { runAt } from '../../rollout/draining.js';
import { describeMembers, locateMember } from '../grouped-hosts.js';
import { scopeOf } from '../scope-of.js';
import { countLeft, countShares, dropShares, previewLeaveShares, sharersToLeave } from './leave-shares.js';

/** Removes members from their groups. */
export type LeavingGroups = AnyPhase & DecisionState & ActivityUser<'planLeave'>;

/** What stays of groups when an operation is done. */
export interface Remainder {
  definition: Pick<WorkScope['definition'], 'servers'>;
  /** Whether the operation removes this member, with its machine or without. */
  goes: (server: string, taskserv: string) => boolean;
}

const listRemoved = memoizeByKey(
  ({ removeServers, removeServices }: WorkScope) =>
    new Set([
      ...removeServers.map(({ name }) => name),
      ...removeServices.map(({ server, taskserv }) => `${server.name}/${taskserv}`),
    ]),
);

const remainderOf = (work: WorkScope): Remainder => ({
  definition: work.definition,
  goes: (server, taskserv) => listRemoved(work).has(server) || listRemoved(work).has(`${server}/${taskserv}`),
});

/** A service of a group, as far as questions about its members need it. */
type MemberSpec = Pick<TaskservSpec, 'name' | 'group' | 'module' | 'config'>;

const taskservsIn = memoizeByKey(
  ({ servers }: Remainder['definition']) => new Map(servers.map(({ name, taskservs }) => [name, taskservs])),
);

/**
 * The members of groups that a machine has, by the inventory, or may have: an install that failed is not in the inventory,
 * and may have joined.
 */
export function findMemberSpecs(
  { inventory, decided }: AnyPhase & DecisionState,
  definition: Remainder['definition'],
  server: string,
): MemberSpec[] {
  const there = inventory.servers[server];
  if (!there) return [];
  const recorded = Object.values(there.services).flatMap(({ taskserv, group, module, config }) =>
    group === undefined ? [] : [{ name: taskserv, group, config, ...(module !== undefined && { module }) }],
  );
  const definitions = [definition, inventory.definition, decided?.before.definition];
  const written = definitions.flatMap((one) => (one && taskservsIn(one).get(server)) ?? []);
  // One that is recorded without a group has left that.
  const known = new Set(Object.keys(there.services));
  const attempted = written.filter(({ name, group }) => group !== undefined && !known.has(name) && known.add(name));
  return [...recorded, ...attempted];
}

/** A member that goes from a server, or is interrupted there. */
interface Leaving {
  server: string;
  spec: MemberSpec;
  /** Its machine is changed and carries it on. */
  returns?: true;
  /** Servers that are off at the end of the same operation, which stops them or found them so. */
  stops?: readonly string[];
  /** Servers that are off and that the same operation starts before. */
  comes?: readonly string[];
  /** Milliseconds in which the others may come to serve. */
  withinMs?: number;
}

/** The group of a member that goes or is interrupted, with all members that are there now, this one included. */
function describeGroup(
  { inventory }: AnyPhase,
  { definition }: Remainder,
  { server, spec }: Pick<Leaving, 'server' | 'spec'>,
): GroupAt {
  const { name, module, group = '' } = spec;
  const known = describeMembers(inventory, definition, spec);
  const own = { ...locateMember(server, inventory.servers[server], spec, spec.config), leaves: true as const };
  const members = known.some((one) => one.server === server) ? known : [...known, own];
  return { taskserv: name, name: group, members, ...(module !== undefined && { module }) };
}

/** How a member leaves its group; empty if nothing is to be done, or no other member stays. */
async function planLeave(
  operation: LeavingGroups,
  remainder: Remainder,
  { server, spec, returns, stops = [], comes = [], withinMs }: Leaving,
): Promise<Leave[]> {
  const { inventory } = operation;
  const { goes } = remainder;
  const { name } = spec;
  const group = describeGroup(operation, remainder, { server, spec });
  const there = group.members.filter(({ machine }) => machine !== undefined).map((one) => one.server);
  const stay = there.filter((one) => !goes(one, name));
  // All of a group may stop: one that is off already misses nothing.
  const isOff = (one: string) => stops.includes(one) || (stops.length > 0 && inventory.servers[one]?.stopped !== undefined);
  if (!stay.some((one) => one !== server && !isOff(one))) return [];
  const going = there.filter((one) => one !== server && goes(one, name));
  const summary = returns ? `See whether ${name} can do without ${server}` : `Plan how ${name} on ${server} leaves its group`;
  const asked = {
    scope: scopeOf(operation),
    group,
    ...{ server, stay },
    ...(going.length > 0 && { goes: going }),
    ...(returns && { returns }),
    ...(stops.length > 0 && { stops: [...stops] }),
    ...(comes.length > 0 && { comes: [...comes] }),
    ...(withinMs !== undefined && { withinMs }),
  };
  return operation.activities.planLeave.executeWithOptions({ summary }, [asked]);
}

/** What has members one after the other, by group and operation. */
const turns = new WeakMap<object, Map<string, Promise<unknown>>>();

function turnsIn(operation: object): Map<string, Promise<unknown>> {
  const known = turns.get(operation) ?? new Map<string, Promise<unknown>>();
  turns.set(operation, known);
  return known;
}

/**
 * Lets the turns of the others in the groups of a server begin after its own start. Those that start do so side by side:
 * only together they may be a majority.
 *
 * @param started never fails
 */
export function startBefore(operation: AnyPhase & DecisionState, work: WorkScope, server: string, started: Promise<void>): void {
  const known = turnsIn(operation);
  for (const spec of findMemberSpecs(operation, work.definition, server)) {
    const group = nameGroup(spec) ?? '';
    known.set(group, Promise.all([known.get(group), started]));
  }
}

/** Milliseconds that members which were interrupted before may take to serve: an activity that looks has a minute. */
const SERVES_WITHIN_MS = 30_000;

/** Works on others for the sake of a member that leaves. */
export type GroupLeaver = LeavingGroups & Recording & ActivityUser<'act'> & ProgressView;

/** What may be done to a server's members. */
type Removing = GroupLeaver & Pick<AttemptRunner, 'stopped' | 'continuation'>;

/**
 * Has the work on members of one group one after the other, also with members that other work removes or interrupts. The
 * work lasts until the member serves again, or is gone. At once, in the same task, for a server without members.
 *
 * @param work gets whether another member had its turn before
 * @throws NotBegun where the operation stopped before its turn
 */
export function takeTurn<T>(
  operation: AnyPhase & DecisionState & ProgressView & Pick<AttemptRunner, 'stopped'>,
  { definition }: Pick<WorkScope, 'definition'>,
  { server, taskserv }: { server: string; taskserv?: string },
  work: (isLater: boolean) => Promise<T>,
): Promise<T> {
  const specs = findMemberSpecs(operation, definition, server).filter(({ name }) => taskserv === undefined || name === taskserv);
  const groups = specs.flatMap((spec) => nameGroup(spec) ?? []);
  if (groups.length === 0) return work(false);
  const known = turnsIn(operation);
  const before = groups.flatMap((group) => known.get(group) ?? []);
  const run = Promise.all(before).then(() => {
    if (!operation.stopped) return work(before.length > 0);
    operation.show({ server, ...(taskserv !== undefined && { taskserv }), state: 'skipped', step: 'the operation stopped before' });
    throw new NotBegun();
  });
  const settled = run.catch(() => {});
  for (const group of groups) known.set(group, settled);
  return run;
}

/** A server whose members go or are interrupted; with `taskserv` only that one. */
export interface LeavingFrom {
  server: string;
  taskserv?: string;
  /** The machine is changed and carries them on. */
  returns?: true;
  /** Another member was worked on before: the others may take a moment to serve. */
  isLater?: boolean;
}

/**
 * Takes the members of a server, or one of them, out of their groups, and then does what removes or interrupts them. The
 * caller has the turn of their groups.
 *
 * @throws NotBegun where the operation stopped before the removal
 */
export function leaveFirst<T>(operation: Removing, work: WorkScope, from: LeavingFrom, remove: () => Promise<T>): Promise<T> {
  const { server, taskserv } = from;
  const specs = findMemberSpecs(operation, work.definition, server).filter(
    ({ name }) => taskserv === undefined || name === taskserv,
  );
  if (specs.length === 0) return remove();
  return leaveGroups(operation, remainderOf(work), from, specs, (leave, done) => countLeft(operation, leave, done)).then(() => {
    if (operation.stopped) throw new NotBegun();
    return remove();
  });
}

/** Takes members out of their groups. Returns how many steps that took. */
export async function leaveGroups(
  operation: GroupLeaver,
  remainder: Remainder,
  { server, returns, isLater = false }: LeavingFrom,
  specs: readonly MemberSpec[],
  onLeft = (leave: Leave, done: number) => countShares(operation, leave, done),
): Promise<number> {
  let steps = 0;
  const withinMs = Math.min(operation.request.timing?.healthMs ?? SERVES_WITHIN_MS, SERVES_WITHIN_MS);
  for (const spec of specs) {
    const asked = { server, spec, ...(returns && { returns }), ...(isLater && { withinMs }) };
    for (const leave of await planLeave(operation, remainder, asked)) {
      operation.show({ server, taskserv: spec.name, state: 'running', step: `${leave.steps[0]?.title} at ${leave.server}` });
      const target = { server: leave.leaving, taskserv: spec.name };
      const sharers = sharersToLeave(leave, () => describeGroup(operation, remainder, { server, spec }));
      const done = await runAt(operation, { server: leave.server, taskserv: leave.taskserv, target }, leave.steps, sharers);
      steps += done;
      onLeft(leave, done);
      await recordLeft(operation, target);
    }
  }
  return steps;
}

/** Notes that a member has left its group, though its service is still there: it does not count any more. */
async function recordLeft(operation: Recording & AnyPhase, { server, taskserv }: { server: string; taskserv: string }) {
  const service = operation.inventory.servers[server]?.services[taskserv];
  if (!service) return;
  const { group: _, ...left } = service;
  await operation.record({ change: 'service', server, service: { ...left, since: operation.request.id } });
}

/**
 * Refuses to interrupt a server while groups cannot do without its members. Undefined for a server without members: nothing
 * is to be waited for.
 *
 * @throws inputError `quorum-lost`
 */
export function checkSpare(
  operation: LeavingGroups,
  work: WorkScope,
  { server, isLater = false, ...others }: Pick<Leaving, 'server' | 'stops' | 'comes'> & { isLater?: boolean },
): Promise<unknown> | undefined {
  const specs = findMemberSpecs(operation, work.definition, server);
  if (specs.length === 0) return undefined;
  const asked = { server, returns: true as const, ...others, ...(isLater && { withinMs: SERVES_WITHIN_MS }) };
  return Promise.all(specs.map((spec) => planLeave(operation, remainderOf(work), { ...asked, spec })));
}

/** Adds the lines of members that leave their groups, each before the first line of what removes it. */
export async function addLeaves(
  operation: LeavingGroups,
  work: WorkScope,
  { servers }: MachinePlan,
  lines: PlannedStep[],
): Promise<PlannedStep[]> {
  const goes = [
    ...work.removeServices.map(({ server, taskserv }) => ({ server: server.name, taskserv })),
    ...work.removeServers.map(({ name }) => ({ server: name, taskserv: undefined })),
    ...servers.flatMap(({ server, action }) => (action === 'replace' ? [{ server, taskserv: undefined }] : [])),
  ];
  const added: PlannedStep[] = [];
  const told = new Set<string>();
  const left = new Set<string>();
  for (const { server, taskserv } of goes) {
    for (const spec of findMemberSpecs(operation, work.definition, server)) {
      const key = `${server}/${spec.name}`;
      if (told.has(key) || (taskserv !== undefined && taskserv !== spec.name)) continue;
      told.add(key);
      for (const leave of await planLeave(operation, remainderOf(work), { server, spec })) {
        // Those that do not serve leave before the first other one.
        if (left.has(`${leave.leaving}/${spec.name}`)) continue;
        left.add(`${leave.leaving}/${spec.name}`);
        added.push(...previewLeaveShares(leave, added));
        for (const step of leave.steps)
          added.push({ on: leave.server, taskserv: spec.name, for: leave.leaving, title: step.title, step, change: 'change' });
      }
    }
  }
  return added.length > 0 ? [...added, ...dropShares(lines, added)] : lines;
}
