import { activityInfo } from '@temporalio/activity';
import { type Client, WorkflowIdConflictPolicy, WorkflowNotFoundError } from '@temporalio/client';
import { inputError, type ProvisioningError } from '../../core/errors.js';
import type { AskedLock } from '../../core/infra/asked-lock.js';
import type { Grant } from '../../core/infra/lock.js';
import { infraWorkflowId } from '../../core/names.js';
import type { LockRequest } from '../../core/operation/operation.js';
import { attributesFrom } from '../../core/operation/search-attributes.js';
import { isKept } from '../../stores/is-kept.js';
import type { SequenceOwner } from '../../stores/sequences.js';
import type { Dependencies } from '../dependencies.js';
import type { Closings } from './closings.js';
import { askGrant } from './grant-said.js';
import { type HoldersWatch, watchHolders } from './watch-holders.js';
import { type QueueWatch, watchQueue } from './watch-queue.js';

/** Options that start a missing entity of an infra. */
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

/** Returns the entity's present grant for an operation. Undefined without an answer. */
async function grantAtOnce(temporal: Client, entity: string, operation: string): Promise<Grant | 'waits' | undefined> {
  const said = await askGrant(temporal, entity, operation);
  return said && 'answer' in said && said.answer !== null ? said.answer : undefined;
}

/** Sends a request to an entity; answers whether one is there. */
async function signalOpen(temporal: Client, entity: string, request: AskedLock): Promise<boolean> {
  try {
    await temporal.workflow.getHandle(entity).signal('acquire', request);
    return true;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}

const infraLost = (infra: string): ProvisioningError =>
  inputError({
    code: 'infra-lost',
    what: 'work on the infra',
    on: infra,
    why: 'the store knows it, but its workflow is gone: it was ended from outside, or the data of the engine were lost',
    hint: `provisioning infra recover ${infra}; then run this again`,
  });

/** Activities about Temporal itself, for entities of infras and for operations. */
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
     * Requests locks from the infra's entity, and starts a missing entity. Repeating the same request changes nothing.
     *
     * An ended entity is not started if the store knows its infra: an empty entity would be another infra without the
     * existing resources.
     *
     * @throws inputError `infra-lost`
     * @returns the grant, if it was wanted here and was given at once; otherwise it comes by the signal `granted`
     */
    async askNewInfra({ workspace, infra, request, answer }: AskedInfra): Promise<Grant | undefined> {
      const start = entityStart(workspace, infra, taskQueue);
      const ask = async (wish: AskedLock) => {
        if (await signalOpen(temporal, start.workflowId, wish)) return;
        if (await isKept(feeds, { workspace, infra })) throw infraLost(infra);
        await temporal.workflow.signalWithStart('infra', { ...start, signal: 'acquire', signalArgs: [wish] });
      };
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
      if (!isGone || !starts) return (await signalOpen(temporal, start.workflowId, request)) ? 'waits' : 'absent';
      await temporal.workflow.signalWithStart('infra', { ...start, signal: 'acquire', signalArgs: [request] });
      return 'waits';
    },

    /** Watches requests for locks that wait: answers the operations whose request is worth repeating. */
    watchQueue: (input: QueueWatch): Promise<string[]> => watchQueue({ temporal, feeds }, input),

    /** Watches operations that hold or wait for locks. */
    watchHolders: (input: HoldersWatch): Promise<string[]> => watchHolders({ temporal, closings, stopping }, input),
  };
}
