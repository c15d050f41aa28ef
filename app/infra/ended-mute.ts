import { QueryNotRegisteredError, type WorkflowHandle } from '@temporalio/client';
import { isOpen } from '../../core/engine/is-open.js';
import { isUnready } from '../temporal/repeat-unready.js';

/**
 * Returns whether a workflow has ended and will never answer a query. Its start may have been refused because this
 * installation did not send it. Or it was terminated because its history could not be replayed, such as after a reset
 * in Temporal. The next operation starts it again.
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
