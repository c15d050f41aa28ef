import type { ActInput } from '../../../activities/service/bring.js';
import type { Leave } from '../../../activities/service/leave.js';
import type { GroupAt } from '../../../activities/service/pool-groups.js';
import type { PlannedStep } from '../../../core/plan/planned-step.js';
import { listShares } from '../../../core/taskserv/groups/share.js';
import type { AnyPhase, AttemptRunner, ProgressView } from '../../operation/operation.js';
import { plansShare } from '../preview-lines.js';

/** The group whose members make the shares that steps of a member that leaves refer to; empty without such steps. */
export const sharersToLeave = (
  { leaving, steps }: Pick<Leave, 'leaving' | 'steps'>,
  describeGroup: () => GroupAt,
): Pick<ActInput, 'groups' | 'leaving'> => (listShares(steps).length === 0 ? {} : { groups: [describeGroup()], leaving });

/** Counts shares that were made and that the plan does not have: a kept one may have expired since. */
export function countShares({ progress }: AnyPhase, { taskserv, steps, shares }: Leave, done: number): void {
  const made = done - steps.length;
  if (made > 0 && !plansShare(progress.plan, { taskserv, ...(shares && { shares }) })) progress.steps.planned += made;
}

/** Counts the steps by which a member left, once: what repeats them, after its machine was not removed, is no further work. */
export function countLeft(
  operation: AnyPhase & ProgressView & Pick<AttemptRunner, 'continuation'>,
  leave: Leave,
  done: number,
): void {
  const { continuation, progress } = operation;
  const counted = `left/${leave.leaving}/${leave.taskserv}`;
  if (done === 0 || continuation.has(counted)) return;
  continuation.settle(counted);
  const planned = progress.plan.filter(
    (line) => line.for === leave.leaving && line.taskserv === leave.taskserv && line.step,
  ).length;
  // Members that serve may be others by now than those of the plan.
  progress.steps.planned += Math.max(0, Math.min(done, leave.steps.length) - planned);
  countShares(operation, leave, done);
  operation.executed(done);
}

/** The lines about the shares that steps need with which a member leaves, without those that the plan has already. */
export const previewLeaveShares = ({ taskserv, shares = [] }: Leave, before: readonly PlannedStep[]): PlannedStep[] =>
  shares.flatMap(({ title, on }): PlannedStep[] => {
    const line = { on, taskserv, title, change: 'change' as const };
    return before.some((one) => isShareLine(one, line)) ? [] : [line];
  });

/** Lines of a plan without those about shares that are made before, for a member that leaves. */
export const dropShares = (lines: readonly PlannedStep[], before: readonly PlannedStep[]): PlannedStep[] =>
  lines.filter((line) => !before.some((one) => isShareLine(one, line)));

/** Whether both are the line about one share. Lines about steps have their step. */
const isShareLine = (one: PlannedStep, other: PlannedStep): boolean =>
  !one.step && !other.step && one.on === other.on && one.taskserv === other.taskserv && one.title === other.title;
