import { inputError } from '../../core/errors.js';
import { groupByKey } from '../../core/grouped.js';
import type { OperationResult } from '../../core/operation/operation.js';
import { isPreviewId } from '../../core/operation-id.js';
import { listDestroyed } from '../../core/plan/destroyed.js';
import { planHash, planLineOf } from '../../core/plan/plan-lines.js';
import type { PlannedStep } from '../../core/plan/planned-step.js';
import { quotaOfPlan } from '../limits/quota/quota-of-plan.js';
import type { Call } from '../method.js';
import { awaitOperationResult } from '../operation/state.js';
import type { Plan } from '../schemas/plan.js';
import { costOfPlan } from './cost-of-plan.js';

type Caller = Pick<Call, 'engine' | 'principal'>;

/**
 * Waits for the end of a preview.
 *
 * @throws inputError `bad-request` if the operation is no preview, `unknown-operation`
 */
export async function planOfPreview(
  caller: Caller,
  operation: string,
  { cost, signal }: { cost?: boolean | undefined; signal?: AbortSignal | undefined },
): Promise<Plan> {
  if (!isPreviewId(operation)) {
    const hint = 'name the operation that `plans.preview` returned';
    throw inputError({ code: 'bad-request', what: 'read the plan', on: operation, why: 'it is not a preview', hint });
  }
  const result = await awaitOperationResult(caller.engine, operation, signal);
  const known = requirePlan(result);
  const change = cost && known.hash !== undefined ? await costOfPlan(caller, result) : undefined;
  const quota = known.hash === undefined ? undefined : await quotaOfPlan(caller, result);
  return { ...known, ...(quota && { quota }), ...(change && { cost: change }) };
}

/** The plan that a preview ended with. */
export function requirePlan(result: OperationResult): Plan {
  const { status, plan } = result;
  const ended = status === 'done' && { hash: planHash(plan.map(planLineOf)) };
  return { result, ...ended, places: placesOf(plan), destroys: listDestroyed(plan) };
}

/** Groups the steps by their targets, in the order of first appearance. */
function placesOf(plan: readonly PlannedStep[]): Plan['places'] {
  const rows = plan.map(({ on, destructive }, index) => ({ on, destructive, index }));
  return [...groupByKey(rows, ({ on }) => on)].map(([on, own]) => ({
    on,
    steps: own.map(({ index }) => index),
    ...(own.some(({ destructive }) => destructive) && { destroys: true as const }),
  }));
}
