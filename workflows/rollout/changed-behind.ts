import { workflowInfo } from '@temporalio/workflow';
import type { VerifyInput } from '../../activities/service/verify.js';
import type { TaskservSpec } from '../../core/definition/definition.js';
import { readWorkflowsVersion } from '../../core/engine/workflows-version.js';
import type { AnyPhase } from '../operation/operation.js';
import type { RollingUpdate } from './rolling.js';

/** The version of workflows since which what stands in front of others has to use what was changed behind it. */
const ASKED_SINCE = 2;

/**
 * Services behind a load balancer that this operation created or changed and that were not seen in use since. Services
 * that were drained for it were already awaited at their return. Empty for other services.
 */
export function findChangedBehind(
  { progress }: AnyPhase,
  rolling: Pick<RollingUpdate, 'drainsOf'>,
  { drains, name }: TaskservSpec,
): NonNullable<VerifyInput['changed']> {
  if (!drains || readWorkflowsVersion(workflowInfo().memo) < ASKED_SINCE) return [];
  return progress.cells.flatMap(({ server, taskserv, state }) =>
    state === 'done' && taskserv !== undefined && taskserv !== name && rolling.drainsOf({ server, taskserv }).length === 0
      ? [{ server, taskserv }]
      : [],
  );
}
