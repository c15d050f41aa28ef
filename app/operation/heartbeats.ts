import type { Client as Temporal, WorkflowExecutionDescription } from '@temporalio/client';
import { decodeFromPayloadsAtIndex } from '@temporalio/common/lib/internal-non-workflow/index.js';
import type { Cell } from '../../core/operation/operation.js';

/** What an activity last said of its work. */
export type Beat = Partial<Cell> & {
  line?: string;
  /** Since when a server gives no answer, and until when that is waited for, in words. */
  silent?: string;
};

/** The last words of each activity that is at work. */
export async function readBeats(temporal: Temporal, { workflowId, raw }: WorkflowExecutionDescription): Promise<Beat[]> {
  const { namespace, loadedDataConverter } = temporal.options;
  const beats = await Promise.all(
    (raw.pendingActivities ?? []).map(({ activityId, heartbeatDetails }) => {
      const context = { type: 'activity', namespace, workflowId, activityId: activityId ?? undefined, isLocal: false } as const;
      const said = decodeFromPayloadsAtIndex<Beat | undefined>(loadedDataConverter, 0, heartbeatDetails?.payloads, context);
      // What nobody of ours said is nothing that is shown.
      return said.catch(() => undefined);
    }),
  );
  return beats.filter((beat): beat is Beat => beat !== undefined && beat !== null);
}
