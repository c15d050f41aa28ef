import { LIMITS } from '../limits.js';
import type { OperationRequest } from '../operation/operation.js';
import { type PinnedPlan, planHash, planLineOf } from './plan-lines.js';
import type { PlannedStep } from './planned-step.js';

/** A plan as an operation is held to it: with its lines, unless they are too many to be asked for along with the definition. */
export function summarizePlanned(plan: readonly PlannedStep[], { definition }: Pick<OperationRequest, 'definition'>): PinnedPlan {
  const lines = plan.map(planLineOf);
  const bytes = new TextEncoder().encode(JSON.stringify([lines, definition])).length;
  return { hash: planHash(lines), ...(bytes <= LIMITS.plannedLines && { lines }) };
}
