import { activityInfo, heartbeat, sleep } from '@temporalio/activity';
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { quoteValue } from '../../core/engine/quote-value.js';
import type { ListWorkflows } from '../dependencies.js';
import { type Closing, type Closings, formatClosingsQuery, parseClosing } from '../infra/closings.js';

export interface WatchInput {
  batch: string;
  /** ISO time: what closed before it is of no interest. */
  since: string;
  everyMs: number;
}

/** An operation that closed, and Temporal's word for how. */
export interface ClosedOperation {
  operation: string;
  how: string;
  /** Its infra. */
  infra?: string;
}

interface Watching {
  temporal: Client;
  list: ListWorkflows;
  closings: Closings;
  taskQueue: string;
}

/** Maximum number of operations in one signal. */
const TOLD_AT_ONCE = 500;

/**
 * Watches for operations of a batch that ended badly, and sends each to the batch by the signal `closed`, until it is
 * canceled or the batch has ended. Most reported their end before they closed, and the batch ignores them here.
 * Terminated, timed out and broken ones did not. A further attempt may report some again.
 */
export async function watchBatch(
  { temporal, list, closings, taskQueue }: Watching,
  { batch, since, everyMs }: WatchInput,
): Promise<void> {
  const { heartbeatDetails, currentAttemptScheduledTimestampMs } = activityInfo();
  let from = (typeof heartbeatDetails === 'number' ? heartbeatDetails : undefined) ?? Date.parse(since);
  let known = from;
  const found: ClosedOperation[] = [];
  const take = ({ workflow: operation, ...closing }: Closing) => {
    if (operation.startsWith(`${batch}-`)) found.push({ operation, ...closing });
  };
  // An operation that closes during the first list is reported twice rather than not at all.
  const stop = closings.watch(currentAttemptScheduledTimestampMs, (closed, upTo) => {
    closed.forEach(take);
    known = upTo;
  });
  try {
    const before = `WorkflowId STARTS_WITH ${quoteValue(`${batch}-`)} AND ${formatClosingsQuery(taskQueue, from)}`;
    for await (const info of list(before, 1_000)) {
      heartbeat(from);
      take(parseClosing(info));
    }
    for (;;) {
      const next = Math.max(from, known);
      while (found.length > 0) if (!(await tellClosed(temporal, batch, found.splice(0, TOLD_AT_ONCE)))) return;
      from = next;
      heartbeat(from);
      await sleep(everyMs);
    }
  } finally {
    stop();
  }
}

/** Answers whether the batch is still there. */
async function tellClosed(temporal: Client, batch: string, closed: ClosedOperation[]): Promise<boolean> {
  try {
    await temporal.workflow.getHandle(batch).signal('closed', closed);
    return true;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}
