import { QueryNotRegisteredError, type WorkflowHandle } from '@temporalio/client';
import { isOpen } from '../../core/engine/is-open.js';
import { isUnready } from '../temporal/repeat-unready.js';

/**
 * Whether a workflow has ended and will never answer a query. Either its start was refused, because it was not sent by
 * this set-up, or it was terminated after its history could not be replayed, such as after Temporal's reset. The next
 * operation starts it again.
 *
 * @param error of a query
 */
export async function hasEndedMute(workflow: Pick<WorkflowHandle, 'describe'>, error: unknown): Promise<boolean> {
  if (!(error instanceof QueryNotRegisteredError) && !isUnready(error)) return false;
  return workflow.describe().then(
    ({ status }) => !isOpen(status.name),
    () => false,
  );
}
