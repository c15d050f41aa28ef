import type { Leave } from '../../activities/service/leave.js';
import type { GroupAt } from '../../activities/service/pool-groups.js';
import type { TaskservSpec } from '../../core/definition/definition.js';
import { listMembers, nameGroup } from '../../core/definition/group-members.js';
import type { MachinePlan } from '../../core/operation/machine-plan.js';
import type { WorkScope } from '../../core/operation/work-scope.js';
import type { PlannedStep } from '../../core/plan/planned-step.js';
import type { ActivityUser, AnyPhase, AttemptRunner, DecisionState, ProgressView } from '../operation/operation.js';
import { runAt } from '../rollout/draining.js';
import { describeMembers } from './grouped-hosts.js';
import { scopeOf } from './scope-of.js';

/** Removes members from their groups. */
export type LeavingGroups = AnyPhase & DecisionState & ActivityUser<'planLeave'>;

/** A member that goes from a server, or is interrupted there. */
interface Leaving {
  server: string;
  spec: TaskservSpec;
  /** Its machine is changed and carries it on. */
  returns?: true;
}

/** The groups of which a server has members, as they were before the operation. */
function memberSpecs({ inventory, decided }: LeavingGroups, work: WorkScope, server: string): TaskservSpec[] {
  const { servers, definition } = decided?.before ?? inventory;
  const written = (definition ?? work.definition).servers.find(({ name }) => name === server)?.taskservs ?? [];
  return written.filter(({ name, group }) => group !== undefined && servers[server]?.services[name] !== undefined);
}

/** The group of a member with all that are there now, and the servers of those that stay. */
function askAbout({ inventory, decided }: LeavingGroups, work: WorkScope, spec: TaskservSpec): { group: GroupAt; stay: string[] } {
  const former = (decided?.before ?? inventory).definition ?? work.definition;
  const goes = new Set([
    ...work.removeServers.map(({ name }) => name),
    ...work.removeServices.flatMap(({ server, taskserv }) => (taskserv === spec.name ? [server.name] : [])),
  ]);
  const before = describeMembers(inventory, former, spec).filter(({ installed }) => installed);
  const known = new Set(before.map(({ server }) => server));
  const fresh = describeMembers(inventory, work.definition, spec).filter(
    ({ server, installed }) => installed && !known.has(server),
  );
  const wanted = new Set(listMembers(work.definition, spec).map(({ server }) => server.name));
  const members = [...before, ...fresh];
  const { name, module, group = '' } = spec;
  return {
    group: { taskserv: name, name: group, members, ...(module !== undefined && { module }) },
    stay: members.flatMap(({ server }) => (wanted.has(server) && !goes.has(server) ? [server] : [])),
  };
}

/** How a member leaves its group; undefined if nothing is to be done, or no other member stays. */
async function planLeave(
  operation: LeavingGroups,
  work: WorkScope,
  { server, spec, returns }: Leaving,
): Promise<Leave | undefined> {
  const { group, stay } = askAbout(operation, work, spec);
  if (!stay.some((name) => name !== server)) return undefined;
  const summary = returns
    ? `See whether ${spec.name} can do without ${server}`
    : `Plan how ${spec.name} on ${server} leaves its group`;
  const asked = { scope: scopeOf(operation), group, server, stay, ...(returns && { returns }) };
  return (await operation.activities.planLeave.executeWithOptions({ summary }, [asked])) ?? undefined;
}

/** What has members one after the other, by group and operation. */
const turns = new WeakMap<object, Map<string, Promise<unknown>>>();

/** Does work on the members of one group one after the other. */
function inTurn<T>(operation: object, groups: readonly string[], work: () => Promise<T>): Promise<T> {
  const known = turns.get(operation) ?? new Map<string, Promise<unknown>>();
  turns.set(operation, known);
  const run = Promise.all(groups.map((group) => known.get(group))).then(work);
  const settled = run.catch(() => {});
  for (const group of groups) known.set(group, settled);
  return run;
}

/** What may be done to a server's members. */
type Removing = LeavingGroups & ActivityUser<'act'> & ProgressView & Pick<AttemptRunner, 'stopped'>;

/**
 * Takes the members of a server, or one of them, out of their groups, and then does what removes or interrupts them. One
 * member of a group after the other.
 */
export async function leaveFirst<T>(
  operation: Removing,
  work: WorkScope,
  { server, taskserv, returns }: { server: string; taskserv?: string; returns?: true },
  remove: () => Promise<T>,
): Promise<T> {
  const specs = memberSpecs(operation, work, server).filter(({ name }) => taskserv === undefined || name === taskserv);
  if (specs.length === 0) return remove();
  return inTurn(
    operation,
    specs.flatMap((spec) => nameGroup(spec) ?? []),
    async () => {
      for (const spec of specs) {
        const leave = await planLeave(operation, work, { server, spec, ...(returns && { returns }) });
        if (!leave) continue;
        operation.show({ server, taskserv: spec.name, state: 'running', step: `${leave.steps[0]?.title} at ${leave.server}` });
        const at = { server: leave.server, taskserv: leave.taskserv, target: { server, taskserv: spec.name } };
        operation.executed(await runAt(operation, at, leave.steps));
      }
      return remove();
    },
  );
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
  for (const { server, taskserv } of goes) {
    for (const spec of memberSpecs(operation, work, server)) {
      const key = `${server}/${spec.name}`;
      if (told.has(key) || (taskserv !== undefined && taskserv !== spec.name)) continue;
      told.add(key);
      const leave = await planLeave(operation, work, { server, spec });
      for (const step of leave?.steps ?? [])
        added.push({ on: leave?.server ?? server, taskserv: spec.name, title: step.title, step, change: 'change' });
    }
  }
  return added.length > 0 ? [...added, ...lines] : lines;
}
