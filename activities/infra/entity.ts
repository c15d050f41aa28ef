import { activityInfo, heartbeat, sleep } from '@temporalio/activity';
import { type Client, WorkflowIdConflictPolicy } from '@temporalio/client';
import type { AskedLock, GrantAnswer } from '../../core/infra/asked-lock.js';
import { infraWorkflowId } from '../../core/names.js';
import type { Grant, LockRequest } from '../../core/operation/operation.js';
import { attributesFrom } from '../../core/operation/search-attributes.js';
import type { SequenceOwner } from '../../stores/sequences.js';
import { askOpen } from '../ask-open.js';
import type { Dependencies } from '../dependencies.js';
import { isRunning } from './is-running.js';

/** How the entity of an infra is started where there is none. */
export const entityStart = (workspace: string, infra: string, taskQueue: string) => ({
  workflowId: infraWorkflowId(workspace, infra),
  taskQueue,
  args: [{ workspace, infra }],
  workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
  typedSearchAttributes: attributesFrom({ workspace, infra, kind: 'infra' }),
  staticSummary: `Inventory and locks of infra ${infra}`,
});

interface AskedInfra {
  workspace: string;
  infra: string;
  request: LockRequest;
  /** Hear the answer here where nothing is in the way: that saves a turn of both. */
  answer?: true;
}

/** How long the entity may take to answer, in milliseconds. It takes some ten; one that is paused from outside is not waited for. */
const ANSWER_MS = 2_000;

/** What the entity has given an operation by now; undefined where that was not heard. */
async function grantAtOnce(temporal: Client, entity: string, operation: string): Promise<GrantAnswer | undefined> {
  const what = 'ask for the lock';
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ANSWER_MS);
  });
  const asked = askOpen<GrantAnswer, [string]>(temporal, entity, what, 'grant', operation).catch(() => undefined);
  const said = await Promise.race([asked, late]).finally(() => clearTimeout(timer));
  return said && 'answer' in said && said.answer !== null ? said.answer : undefined;
}

/** What the infra's entity and the operations need of Temporal itself. */
export function createEntityActivities({ temporal, taskQueue, sequences, stopping }: Dependencies) {
  return {
    /** Does nothing: that it is asked notes which run the message was used for that started the operation (sealing.ts). */
    async noteStart(): Promise<void> {},

    /** Takes note that this run of an entity begins with its state, and answers the sequence of that. Refused: `state-superseded`. */
    async beginState({ workspace, infra, sequence }: SequenceOwner & { sequence?: number }): Promise<number> {
      const run = activityInfo().workflowExecution?.runId as string;
      return sequences.begin({ workspace, infra }, run, sequence);
    },

    /**
     * Asks the infra's entity for locks; starts it where there is none. The same request once more changes nothing.
     *
     * @returns the grant, where it was to be heard here and was given at once; else it comes by the signal `granted`
     */
    async askNewInfra({ workspace, infra, request, answer }: AskedInfra): Promise<Grant | undefined> {
      const start = entityStart(workspace, infra, taskQueue);
      const ask = (wish: AskedLock) =>
        temporal.workflow.signalWithStart('infra', { ...start, signal: 'acquire', signalArgs: [wish] });
      if (answer) {
        await ask({ ...request, hears: true });
        const heard = await grantAtOnce(temporal, start.workflowId, request.operation);
        if (heard) return heard === 'waits' ? undefined : heard;
      }
      await ask(request);
      return undefined;
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
        for (const batch of new Set(batches)) if (batch !== null) running.set(batch, await isRunning(temporal, batch));
        for (const [index, operation] of operations.entries()) {
          const batch = batches[index];
          if (!(batch && running.get(batch)) && !(await isRunning(temporal, operation))) closed.push(operation);
        }
        if (closed.length > 0 || stopping?.aborted || Date.now() >= until) return closed;
        heartbeat();
      }
    },
  };
}
