import { activityInfo, heartbeat, sleep } from '@temporalio/activity';
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { SEARCH_ATTRIBUTES } from '../../core/names.js';

export interface WatchInput {
  batch: string;
  /** ISO time: what closed before it is of no interest. */
  since: string;
  everyMs: number;
}

/** An operation that closed, and Temporal's word for how. */
export interface Closed {
  operation: string;
  how: string;
  /** Its infra. */
  infra?: string;
}

/** How late what has closed may be listed, in milliseconds. */
const LATE_MS = 60_000;
/** Operations that one signal tells of. */
const TOLD_AT_ONCE = 500;

/**
 * Watches for operations of a batch that closed otherwise than well, and tells
 * the batch of each by the signal `closed`, until it is canceled or the batch is
 * gone. Most have reported their end before they closed, and the batch passes over
 * them; those that were terminated, timed out or broke have not. Another attempt
 * may tell of some again.
 */
export async function watchBatch(temporal: Client, { batch, since, everyMs }: WatchInput): Promise<void> {
  const { heartbeatDetails, currentAttemptScheduledTimestampMs } = activityInfo();
  const began = performance.now();
  let from = (typeof heartbeatDetails === 'number' ? heartbeatDetails : undefined) ?? Date.parse(since);
  /** When they closed: until the look begins behind it, the list has them again and again. */
  const told = new Map<string, number>();
  for (;;) {
    // By the clock of the server, as are the times at which operations close; ours may be off.
    const now = currentAttemptScheduledTimestampMs + (performance.now() - began);
    const closed: Closed[] = [];
    const query = `WorkflowId STARTS_WITH '${batch}-' AND ExecutionStatus IN ('Terminated', 'TimedOut', 'Failed', 'Canceled') AND CloseTime >= '${new Date(from).toISOString()}'`;
    for await (const { workflowId, status, closeTime, searchAttributes } of temporal.workflow.list({ query, pageSize: 1_000 })) {
      heartbeat(from);
      if (told.has(workflowId)) continue;
      told.set(workflowId, closeTime?.getTime() ?? now);
      const [infra] = (searchAttributes?.[SEARCH_ATTRIBUTES.infra] ?? []) as string[];
      closed.push({ operation: workflowId, how: status.name, ...(infra && { infra }) });
    }
    while (closed.length > 0) if (!(await tellClosed(temporal, batch, closed.splice(0, TOLD_AT_ONCE)))) return;
    from = Math.max(from, Math.floor(now - LATE_MS));
    for (const [operation, at] of told) if (at < from) told.delete(operation);
    heartbeat(from);
    await sleep(everyMs);
  }
}

/** Answers whether the batch is still there. */
async function tellClosed(temporal: Client, batch: string, closed: Closed[]): Promise<boolean> {
  try {
    await temporal.workflow.getHandle(batch).signal('closed', closed);
    return true;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}
