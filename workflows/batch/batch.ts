import {
  ApplicationFailure,
  allHandlersFinished,
  CancellationScope,
  CancelledFailure,
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  defineUpdate,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { ClosedOperation } from '../../activities/batch/watch-batch.js';
import type { BatchDecision, BatchReport, BatchState } from '../../core/operation/batch.js';
import type { Controller } from '../../core/operation/control.js';
import type { BatchRequest } from '../../core/schema/batch-request.js';
import { grantable } from '../infra/infra.js';
import { listAs } from '../inquiry/listed.js';
import { refuseBadBatch } from '../operation/checked-request.js';
import { Books } from './batch-books.js';
import { askAboutCancel, decideBatch, refuseCancel, refuseDecision } from './batch-control.js';
import { waitUntilBatchKept } from './batch-kept.js';
import { forgetDead, startReady } from './batch-starts.js';
import { rollBackBatch } from './batch-undo.js';
import { watchDead } from './batch-watch.js';

/** State of the batch, also after its end. */
export const batchQuery = defineQuery<BatchState>('batch');
/** Reports of operations about their end, before they close. */
export const reported = defineSignal<[BatchReport[]]>('reported');
/** Tells of operations that closed otherwise than well, also of those that reported it. */
export const closed = defineSignal<[ClosedOperation[]]>('closed');
/** Lets the next stage begin. */
export const approveStageUpdate = defineUpdate<string, [Controller]>('approve');
/** A person's answer to failed operations; with policy `ask`, or to stop and roll back at any time. */
export const decideBatchUpdate = defineUpdate<string, [Controller & { decision: BatchDecision }]>('decide');
/** Begins nothing new and cancels what runs; what was done is handled by the policy. */
export const cancelBatchUpdate = defineUpdate<string, [Controller]>('cancel');

/** Events after which a batch continues as new, where its request does not say. */
const CONTINUE_AFTER = 4_000;

/**
 * Runs thousands of operations in the order of their dependencies, so many at a time.
 *
 * Operations are separate workflows that outlive the batch. Each reports its end, and one that dies without a report
 * is detected. The batch's record has a few tens of KiB, which a continued run gets. The operations themselves are in
 * the store.
 */
export async function batch(request: BatchRequest, before?: BatchState): Promise<BatchState> {
  refuseBadBatch(request);
  const books = new Books(request, before);
  const { state, ledger } = books;
  listAs({ kind: 'batch', workspace: request.workspace, actor: request.actor });

  setHandler(batchQuery, () => books.snapshot());
  setHandler(reported, (reports) => {
    for (const report of reports) books.settle(report);
  });
  setHandler(closed, (operations) => {
    for (const operation of operations) books.bury(operation);
  });
  setHandler(grantable, (operations) => books.granted(operations));
  setHandler(
    approveStageUpdate,
    (by) => {
      state.approved++;
      books.note('approved', by, `stage ${state.approved}`);
      return `stage ${state.approved} of ${request.stages.length} is approved by ${by.actor}`;
    },
    {
      validator: (_by) => {
        if (!books.waitsForApproval()) throw ApplicationFailure.nonRetryable('no stage waits for an approval', 'not-waiting');
      },
    },
  );
  setHandler(decideBatchUpdate, (answer) => decideBatch(books, answer), { validator: (answer) => refuseDecision(books, answer) });
  setHandler(
    cancelBatchUpdate,
    (by) => {
      state.unsigned = undefined;
      books.note('cancel', by);
      books.stop('canceled');
      return `canceled by ${by.actor}`;
    },
    { validator: (_by) => refuseCancel(books) },
  );
  CancellationScope.current().cancelRequested.catch(() => askAboutCancel(books));

  return CancellationScope.nonCancellable(async () => {
    const watching = watchDead(request.id);
    const full = () =>
      workflowInfo().historyLength > (request.continueAfter ?? CONTINUE_AFTER) || workflowInfo().continueAsNewSuggested;
    const finished = await (async () => {
      if (!state.undo && (await startReady(books, full)) === 'full') return false;
      return (await rollBackBatch(books, full)) !== 'full';
    })();
    watching.cancel();
    // The next run would not know them, and nothing else gives up their locks while the batch runs.
    await forgetDead(books);
    await condition(allHandlersFinished);
    if (!finished) return continueAsNew<typeof batch>(request, { ...books.snapshot(), continued: state.continued + 1 });
    await waitUntilBatchKept(books);
    const result = books.conclude();
    if (result.status === 'canceled') throw new CancelledFailure('the batch was canceled', [result]);
    if (result.status !== 'done') {
      throw ApplicationFailure.create({
        message:
          result.status === 'superseded'
            ? `${ledger.count('superseded')} of ${result.operations} operations were superseded, and nothing was done`
            : `${ledger.count('failed')} of ${result.operations} operations failed`,
        type: `batch-${result.status}`,
        nonRetryable: true,
        details: [result],
      });
    }
    return result;
  });
}
