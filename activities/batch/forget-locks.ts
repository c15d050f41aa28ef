import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { groupByKey } from '../../core/grouped.js';
import { infraWorkflowId } from '../../core/names.js';

export interface LocksOf {
  workspace: string;
  operations: { infra: string; operation: string }[];
}

/** Tells infras that operations will not begin, or have died: they neither hold nor wait for locks any more. */
export async function forgetLocks(temporal: Client, { workspace, operations }: LocksOf): Promise<void> {
  for (const [infra, members] of groupByKey(operations, (one) => one.infra)) {
    const names = members.map(({ operation }) => operation);
    const entity = temporal.workflow.getHandle(infraWorkflowId(workspace, infra));
    await entity.signal('forgotten', names).catch((error) => {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    });
  }
}
