import { WorkflowNotFoundError } from '@temporalio/client';
import { isOpen } from '../../core/engine/is-open.js';
import type { OperationResult } from '../../core/operation/operation.js';
import type { PlannedStep } from '../../core/plan/planned-step.js';
import type { Engine } from '../engine.js';
import { awaitOperationResult } from '../operation/state.js';
import { translateFault } from '../temporal/fault.js';

type Place = Pick<OperationResult, 'workspace' | 'infra'>;

/**
 * The plan of a preview that ended well; undefined if the infra has no such preview, or it has no plan yet. Never waits
 * for it.
 */
export async function readPreviewPlan(
  engine: Engine,
  preview: string,
  { workspace, infra }: Place,
): Promise<PlannedStep[] | undefined> {
  try {
    const { status } = await engine.temporal.workflow.getHandle(preview).describe();
    if (isOpen(status.name)) return undefined;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw translateFault(error, preview);
  }
  const result = await awaitOperationResult(engine, preview);
  // A caller that may change one infra must not learn the plans of others.
  if (result.workspace !== workspace || result.infra !== infra) return undefined;
  return result.status === 'done' ? result.plan : undefined;
}
