import { activityInfo, heartbeat, sleep } from '@temporalio/activity';
import { WorkflowIdConflictPolicy, WorkflowNotFoundError } from '@temporalio/client';
import { isOpen } from '../../core/engine/is-open.js';
import { infraWorkflowId } from '../../core/names.js';
import type { LockRequest } from '../../core/operation/operation.js';
import { attributesFrom } from '../../core/operation/search-attributes.js';
import type { SequenceOwner } from '../../stores/sequences.js';
import type { Dependencies } from '../dependencies.js';

/** How the entity of an infra is started where there is none. */
export const entityStart = (workspace: string, infra: string, taskQueue: string) => ({
  workflowId: infraWorkflowId(workspace, infra),
  taskQueue,
  args: [{ workspace, infra }],
  workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
  typedSearchAttributes: attributesFrom({ workspace, infra, kind: 'infra' }),
  staticSummary: `Inventory and locks of infra ${infra}`,
});

/** What the infra's entity and the operations need of Temporal itself. */
export function createEntityActivities({ temporal, taskQueue, sequences, stopping }: Dependencies) {
  async function isRunning(workflow: string): Promise<boolean> {
    try {
      const { status } = await temporal.workflow.getHandle(workflow).describe();
      return isOpen(status.name) || status.name === 'CONTINUED_AS_NEW';
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return false;
      throw error;
    }
  }

  return {
    /** Does nothing: that it is asked notes which run the message was used for that started the operation (sealing.ts). */
    async noteStart(): Promise<void> {},

    /** Takes note that this run of an entity begins with its state, and answers the sequence of that. Refused: `state-superseded`. */
    async beginState({ workspace, infra, sequence }: SequenceOwner & { sequence?: number }): Promise<number> {
      const run = activityInfo().workflowExecution?.runId as string;
      return sequences.begin({ workspace, infra }, run, sequence);
    },

    /** Asks the infra's entity for locks; starts it where there is none. The same request once more changes nothing. */
    async askNewInfra({ workspace, infra, request }: { workspace: string; infra: string; request: LockRequest }): Promise<void> {
      await temporal.workflow.signalWithStart('infra', {
        ...entityStart(workspace, infra, taskQueue),
        signal: 'acquire',
        signalArgs: [request],
      });
    },

    /**
     * Watches operations that hold or wait for locks; answers as soon as some
     * of them have closed, however they ended, or none has when the time is over.
     * One that continued as new is open: the last of its runs counts.
     */
    async watchHolders({
      operations,
      batches = [],
      everyMs,
      forMs,
    }: {
      operations: string[];
      /** For each the batch that it is a part of: one whose batch runs need not have begun, and is the batch's to watch. */
      batches?: (string | null)[];
      everyMs: number;
      forMs: number;
    }): Promise<string[]> {
      for (const until = Date.now() + forMs; ; await sleep(everyMs)) {
        const closed: string[] = [];
        const running = new Map<string, boolean>();
        for (const batch of new Set(batches)) if (batch !== null) running.set(batch, await isRunning(batch));
        for (const [index, operation] of operations.entries()) {
          const batch = batches[index];
          if (!(batch && running.get(batch)) && !(await isRunning(operation))) closed.push(operation);
        }
        if (closed.length > 0 || stopping?.aborted || Date.now() >= until) return closed;
        heartbeat();
      }
    },
  };
}
