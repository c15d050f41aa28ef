import { workflowInfo } from '@temporalio/workflow';
import type { VerifyInput } from '../../activities/service/verify.js';
import type { TaskservSpec } from '../../core/definition/definition.js';
import { readWorkflowsVersion } from '../../core/engine/workflows-version.js';
import type { AnyPhase } from '../operation/operation.js';
import type { RollingUpdate } from './rolling.js';

/** The version of workflows since which what stands in front of others has to use what was changed behind it. */
const ASKED_SINCE = 2;

/**
 * The services behind a balancer that this operation has made or changed, and that nobody has seen in use since: those
 * that were taken out of service for it were waited for as they returned. Empty for what balances nothing.
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
