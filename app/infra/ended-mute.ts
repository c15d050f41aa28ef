import { QueryNotRegisteredError, type WorkflowHandle } from '@temporalio/client';
import { isOpen } from '../../core/engine/is-open.js';
import { isUnready } from '../temporal/repeat-unready.js';

/**
 * Whether a workflow has ended and can be asked nothing for good: it was refused at its
 * start, which somebody else sent, or was terminated when its history could not be
 * replayed any more, as after Temporal's reset. The next operation begins it again.
 *
 * @param error what asking it came to
 */
export async function hasEndedMute(workflow: Pick<WorkflowHandle, 'describe'>, error: unknown): Promise<boolean> {
  if (!(error instanceof QueryNotRegisteredError) && !isUnready(error)) return false;
  return workflow.describe().then(
    ({ status }) => !isOpen(status.name),
    () => false,
  );
}
