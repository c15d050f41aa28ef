import type { ServerChange } from '../../core/operation/machine-plan.js';
import type { UpdatePolicy } from '../../core/operation/rolling.js';
import type { Drain } from '../../core/operation/to-undo.js';
import type { WorkScope } from '../../core/operation/work-scope.js';
import type { PlannedStep } from '../../core/plan/planned-step.js';
import { Occupancy } from '../infra/occupancy.js';
import type { ActivityUser, StartState } from '../operation/operation.js';
import type { ServerDecision } from '../runbook/server-decision.js';
import { type DrainOperation, planDrains, takeOut, undrain } from './draining.js';
import { interrupts, RollingPlan } from './rolling-plan.js';
import type { Target } from './rollout.js';

/** Order of an operation's changes to running services: in waves, drained in that time. */
export interface RollingUpdate {
  /** All that is taken out of service by what stands in front of it. */
  drains: Drain[];
  /** How it is changed; undefined where it may be done at once. */
  policyOf(target: Target): UpdatePolicy | undefined;
  drainsOf(target: Target): Drain[];
  /** Whether a machine is changed in waves, after those that nothing is served by. */
  rolls(change: ServerChange): boolean;
  /** Waits for its turn; says whether that took waiting. At once for what is not rolled. */
  enter(target: Target): Promise<boolean>;
  /** Does work on it while nothing is passed on to it. After a failure it stays out. */
  outOfService<T>(target: Target, work: () => Promise<T>): Promise<T>;
  /** It failed and waits for a decision: it stays as it is, and no other target begins. */
  hold(target: Target): void;
  /** It is settled, whether anything was done or not. */
  leave(target: Target): void;
}

const idOf = ({ server, taskserv = '' }: Target) => `${server}/${taskserv}`;

/**
 * Plans the order of all changes to running services, and how each is drained. First installations are not rolled.
 *
 * @param order order of the taskservs' work
 */
export async function planRolling(
  operation: DrainOperation & ActivityUser<'planDrains'>,
  work: WorkScope,
  machines: ServerChange[],
  decisions: ServerDecision[],
  order: string[],
): Promise<RollingUpdate> {
  const plan = planOf(operation, work, machines, decisions, order);
  return rollingBy(operation, plan, await planDrains(operation, work, plan.targets));
}

/**
 * Restores the plan in a later run of the operation.
 *
 * @param then state of the operation when it was planned
 */
export function resumeRolling(
  operation: DrainOperation,
  then: StartState,
  work: WorkScope,
  machines: ServerChange[],
  decisions: ServerDecision[],
  order: string[],
  drains: Drain[],
): RollingUpdate {
  return rollingBy(operation, planOf(then, work, machines, decisions, order), drains);
}

function planOf(
  operation: StartState,
  work: WorkScope,
  machines: ServerChange[],
  decisions: ServerDecision[],
  order: string[],
): RollingPlan {
  const plan = new RollingPlan(operation, work);
  plan.addMachines(machines);
  plan.addServices(decisions, order);
  return plan;
}

function rollingBy(operation: DrainOperation, plan: RollingPlan, drains: Drain[]): RollingUpdate {
  const rolloutOf = plan.rollouts();
  const policyOf = (target: Target) => plan.policyOf(target);
  const drainsOf = (target: Target) => drains.filter((drain) => idOf(drain.target) === idOf(target));
  const occupancy = new Occupancy();
  const taken = new Map<string, () => void>();

  return {
    drains,
    policyOf,
    drainsOf,
    rolls: (change) => interrupts(change) && policyOf({ server: change.server }) !== undefined,
    enter(target) {
      const policy = policyOf(target);
      const rollout = rolloutOf(target);
      if (!policy || !rollout) return Promise.resolve(false);
      const turn = rollout.place(target);
      if (turn && turn.of > 1) operation.show({ ...target, state: 'pending', step: `wave ${turn.wave} of ${turn.of}` });
      return rollout.enter(target, policy);
    },
    async outOfService(target, doWork) {
      const around = drainsOf(target);
      // A change of a load balancer would make it forget its drained backends.
      const balancers = around.map(({ server, taskserv }) => idOf({ server, taskserv }));
      const alone = drains.map(({ server, taskserv }) => ({ server, taskserv }));
      const own = alone.filter(({ server, taskserv }) => server === target.server && (target.taskserv ?? taskserv) === taskserv);
      if (!taken.has(idOf(target))) taken.set(idOf(target), await occupancy.take(balancers, own.map(idOf)));
      await takeOut(operation, around);
      const answer = await doWork();
      await undrain(operation, around);
      return answer;
    },
    hold: (target) => rolloutOf(target)?.hold(target),
    leave(target) {
      taken.get(idOf(target))?.();
      taken.delete(idOf(target));
      rolloutOf(target)?.leave(target);
    },
  };
}

/** The lines of a preview with those before and after that take something out of service. */
export function addDrains(rolling: RollingUpdate, lines: PlannedStep[]): PlannedStep[] {
  const lineOf = (
    { server, taskserv, target }: Drain,
    step: Drain['drain'][number],
    change: 'interrupt' | 'add' | 'check',
  ): PlannedStep => ({
    on: server,
    taskserv,
    for: target.server,
    title: step.title,
    step,
    change,
  });
  return lines.flatMap((line, index) => {
    const target = { server: line.on, taskserv: line.taskserv };
    const isFirst = !isSame(lines[index - 1], line);
    const isLast = !isSame(lines[index + 1], line);
    const drains = isFirst || isLast ? rolling.drainsOf(target) : [];
    return [
      ...(isFirst
        ? drains.flatMap((drain) => drain.drain.map((step) => lineOf(drain, step, keeps(drain) ? 'check' : 'interrupt')))
        : []),
      line,
      ...(isLast
        ? drains.flatMap((drain) => drain.undrain.map((step) => lineOf(drain, step, keeps(drain) ? 'check' : 'add')))
        : []),
    ];
  });
}

/** Whether the balancer leaves it in service: there is nothing to undo. */
const keeps = ({ drain }: Drain): boolean => drain.every((step) => 'run' in step && step.undo === ':');

const isSame = (a: PlannedStep | undefined, b: PlannedStep) => a?.on === b.on && a?.taskserv === b.taskserv;
