import { activityInfo } from '@temporalio/activity';
import { type Client, WorkflowIdConflictPolicy, WorkflowNotFoundError } from '@temporalio/client';
import type { AskedLock } from '../../core/infra/asked-lock.js';
import type { Grant } from '../../core/infra/lock.js';
import { infraWorkflowId } from '../../core/names.js';
import type { LockRequest } from '../../core/operation/operation.js';
import { attributesFrom } from '../../core/operation/search-attributes.js';
import type { SequenceOwner } from '../../stores/sequences.js';
import type { Dependencies } from '../dependencies.js';
import type { Closings } from './closings.js';
import { askGrant } from './grant-said.js';
import { isKept } from './is-kept.js';
import { type HoldersWatch, watchHolders } from './watch-holders.js';
import { type QueueWatch, watchQueue } from './watch-queue.js';

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

/** What the entity has given an operation by now; undefined where that was not heard. */
async function grantAtOnce(temporal: Client, entity: string, operation: string): Promise<Grant | 'waits' | undefined> {
  const said = await askGrant(temporal, entity, operation);
  return said && 'answer' in said && said.answer !== null ? said.answer : undefined;
}

/** What the infra's entity and the operations need of Temporal itself. */
export function createEntityActivities({ temporal, taskQueue, sequences, feeds, stopping }: Dependencies, closings: Closings) {
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
     * Repeats a request for locks whose grant has not come: the entity may have been replaced by one that does not know it.
     * The query comes first, since it adds nothing to the entity's history.
     *
     * An entity that has ended is not started if the store knows its infra: an empty one would grant what is there. Then the
     * request waits for `infra recover`.
     *
     * @returns the grant; `waits` if it comes later; `absent` if there is no such infra, and it is not started
     */
    async askAgain({ workspace, infra, request, starts }: AskedInfra & { starts: boolean }): Promise<Grant | 'waits' | 'absent'> {
      const start = entityStart(workspace, infra, taskQueue);
      const said = await askGrant(temporal, start.workflowId, request.operation);
      if (!said) return 'waits';
      if ('answer' in said && said.answer !== null) return said.answer;
      const isGone = 'none' in said && said.none !== 'unable';
      if (isGone && (await isKept(feeds, { workspace, infra }))) return 'waits';
      try {
        if (isGone && starts)
          await temporal.workflow.signalWithStart('infra', { ...start, signal: 'acquire', signalArgs: [request] });
        else await temporal.workflow.getHandle(start.workflowId).signal('acquire', request);
        return 'waits';
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return 'absent';
        throw error;
      }
    },

    /** Watches requests for locks that wait: answers the operations whose request is worth repeating. */
    watchQueue: (input: QueueWatch): Promise<string[]> => watchQueue({ temporal, feeds }, input),

    /** Watches operations that hold or wait for locks. */
    watchHolders: (input: HoldersWatch): Promise<string[]> => watchHolders({ temporal, closings, stopping }, input),
  };
}
