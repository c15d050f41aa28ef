import { planHash, planLineOf } from '../../core/plan/plan-lines.js';
import { refuseUnseenDestruction } from '../runbook/decide-machines.js';
import { OperationStopped } from './failures.js';
import { refuseOtherPlan } from './held-to-plan.js';
import type { AnyPhase, AttemptRunner, ControlUser, DecisionState } from './operation.js';
import { approvalsOf } from './outcome.js';

/** Reports whether the present plan waits for an approval. A plan without steps never does. */
export function needsApproval(operation: AnyPhase): boolean {
  const { plan } = operation.progress;
  const points = approvalsOf(operation);
  if (plan.length === 0) return false;
  return points.has('before-change') || (points.has('before-destroy') && plan.some(({ destructive }) => destructive));
}

/** Waits for the approval of the plan. A rejection ends the operation. */
export async function waitForApproval({ control, progress, request }: AnyPhase & ControlUser<'askApproval'>): Promise<void> {
  const { plan } = progress;
  const at = { step: 'Approve the plan', on: request.infra };
  const destroyed = [...new Set(plan.filter(({ destructive }) => destructive).map(({ on }) => on))];
  const harm = destroyed.length > 0 ? `, which destroy ${destroyed.join(', ')}` : '';
  const steps = plan.length === 1 ? '1 step' : `${plan.length} steps`;
  const hash = planHash(plan.map(planLineOf));
  progress.planHash = hash;
  const verdict = await control.askApproval(`${steps} on ${request.infra}${harm} wait for an approval`, at, hash);
  if (verdict.approved) return;
  const why = `rejected by ${verdict.actor}${verdict.why ? `: ${verdict.why}` : ''}`;
  throw new OperationStopped({ ...at, why, code: 'rejected', exitCode: 1 });
}

/**
 * Decides, by `decide`, which looks and writes the plan; where that needs an approval,
 * until the one that was approved is the one that would be done.
 */
export async function decideApproved<T>(
  operation: AnyPhase & DecisionState & AttemptRunner & ControlUser<'askApproval'>,
  decide: () => Promise<T>,
): Promise<T> {
  for (let approved = operation.approved && JSON.stringify(operation.progress.plan); ; ) {
    operation.continuation.leaveToNextRun();
    const decided = await decide();
    const plan = JSON.stringify(operation.progress.plan);
    refuseOtherPlan(operation);
    if (operation.request.check) return decided;
    refuseUnseenDestruction(operation);
    if (plan === approved || !needsApproval(operation)) return decided;
    await waitForApproval(operation);
    approved = plan;
    operation.approved = true;
  }
}
