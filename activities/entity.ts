import { heartbeat, sleep } from '@temporalio/activity';
import { WorkflowIdConflictPolicy, WorkflowNotFoundError } from '@temporalio/client';
import { defineSearchAttributeKey } from '@temporalio/common';
import { infraWorkflowId, SEARCH_ATTRIBUTES } from '../core/names.js';
import type { LockRequest } from '../core/operation.js';
import type { Dependencies } from './dependencies.js';

/** What the infra's entity and the operations need of Temporal itself. */
export function createEntityActivities({ temporal, taskQueue, stopping }: Dependencies) {
  return {
    /** Starts the infra's entity where there is none, with the request for locks. */
    async askNewInfra({ workspace, infra, request }: { workspace: string; infra: string; request: LockRequest }): Promise<void> {
      await temporal.workflow.signalWithStart('infra', {
        workflowId: infraWorkflowId(workspace, infra),
        taskQueue,
        args: [{ workspace, infra }],
        signal: 'acquire',
        signalArgs: [request],
        workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
        typedSearchAttributes: [
          { key: defineSearchAttributeKey(SEARCH_ATTRIBUTES.workspace, 'KEYWORD'), value: workspace },
          { key: defineSearchAttributeKey(SEARCH_ATTRIBUTES.infra, 'KEYWORD'), value: infra },
          { key: defineSearchAttributeKey(SEARCH_ATTRIBUTES.kind, 'KEYWORD'), value: 'infra' },
        ],
        staticSummary: `Inventory and locks of infra ${infra}`,
      });
    },

    /**
     * Watches operations that hold or wait for locks; answers as soon as some
     * of them have closed, however they ended, or none has when the time is over.
     * One that continued as new is open: the last of its runs counts.
     */
    async watchHolders({
      operations,
      everyMs,
      forMs,
    }: {
      operations: string[];
      everyMs: number;
      forMs: number;
    }): Promise<string[]> {
      for (const until = Date.now() + forMs; ; await sleep(everyMs)) {
        const closed: string[] = [];
        for (const operation of operations) {
          try {
            const { status } = await temporal.workflow.getHandle(operation).describe();
            if (status.name !== 'RUNNING' && status.name !== 'CONTINUED_AS_NEW') closed.push(operation);
          } catch (error) {
            if (!(error instanceof WorkflowNotFoundError)) throw error;
            closed.push(operation);
          }
        }
        if (closed.length > 0 || stopping?.aborted || Date.now() >= until) return closed;
        heartbeat();
      }
    },
  };
}
