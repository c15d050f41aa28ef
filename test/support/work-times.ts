import { batchOperationId } from '../../core/operation/batch.js';
import type { TestEngine } from './engine.js';

/** Returns when the work of each operation in a batch started and ended, in milliseconds, from its history. */
export async function workOf({ temporal }: TestEngine, batch: string, operations: number): Promise<{ from: number; to: number }[]> {
  const times: { from: number; to: number }[] = [];
  for (let first = 0; first < operations; first += 20) {
    const indices = Array.from({ length: Math.min(20, operations - first) }, (_, offset) => first + offset);
    times.push(
      ...(await Promise.all(
        indices.map(async (index) => {
          const { events } = await temporal.workflow.getHandle(batchOperationId(batch, index)).fetchHistory();
          const begun = events?.find((event) => event.workflowExecutionStartedEventAttributes)?.eventTime;
          const acted = events?.findLast((event) => event.activityTaskCompletedEventAttributes)?.eventTime;
          return { from: inMs(begun), to: inMs(acted) };
        }),
      )),
    );
  }
  return times;
}

const inMs = (time: { seconds?: unknown; nanos?: number | null } | null | undefined): number =>
  Number(time?.seconds ?? 0) * 1_000 + (time?.nanos ?? 0) / 1e6;
