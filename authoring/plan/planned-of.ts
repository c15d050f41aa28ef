import { LIMITS } from '../../core/limits.js';
import type { OperationRequest } from '../../core/operation/operation.js';
import { type Planned, planHash, planLineOf } from '../../core/plan/plan-lines.js';
import type { PlannedStep } from '../../core/plan/planned-step.js';

/** A plan as an operation is held to it: with its lines, unless they are too many to be asked for along with the definition. */
export function plannedOf(plan: readonly PlannedStep[], { definition }: Pick<OperationRequest, 'definition'>): Planned {
  const lines = plan.map(planLineOf);
  const bytes = Buffer.byteLength(JSON.stringify([lines, definition]));
  return { hash: planHash(lines), ...(bytes <= LIMITS.plannedLines && { lines }) };
}
