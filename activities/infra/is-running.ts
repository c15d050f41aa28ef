import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { isOpen } from '../../core/engine/is-open.js';

/** Whether a workflow has not ended; one that continued as new has not. */
export async function isRunning(temporal: Client, workflow: string): Promise<boolean> {
  try {
    const { status } = await temporal.workflow.getHandle(workflow).describe();
    return isOpen(status.name) || status.name === 'CONTINUED_AS_NEW';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}
