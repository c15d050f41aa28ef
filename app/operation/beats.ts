import type { Client as Temporal } from '@temporalio/client';
import { decodeFromPayloadsAtIndex } from '@temporalio/common/lib/internal-non-workflow/index.js';
import type { Cell } from '../../core/operation/operation.js';
import type { RawDescription } from '../temporal/describe-run.js';

/** Last heartbeat details of an activity. */
export type Beat = Partial<Cell> & {
  line?: string;
  /** Since when a server gives no answer, and until when that is waited for, in words. */
  silent?: string;
};

interface Said {
  data: Uint8Array;
  beat: Promise<Beat | undefined>;
}

/**
 * Reads again and again the last words of each activity of a workflow that is at work. Words that are the same as before are
 * not opened again: they are the same objects.
 */
export function beatReader({
  options,
}: Pick<Temporal, 'options'>): (workflow: { workflowId: string; raw: RawDescription }) => Promise<Beat[]> {
  const { namespace, loadedDataConverter } = options;
  let known = new Map<string, Said>();
  return async ({ workflowId, raw }) => {
    const now = new Map<string, Said>();
    for (const { activityId, heartbeatDetails } of raw.pendingActivities ?? []) {
      const [payload] = heartbeatDetails?.payloads ?? [];
      const data = payload?.data;
      if (!activityId || !data) continue;
      const before = known.get(activityId);
      if (before && Buffer.compare(before.data, data) === 0) {
        now.set(activityId, before);
        continue;
      }
      const context = { type: 'activity', namespace, workflowId, activityId, isLocal: false } as const;
      const said = decodeFromPayloadsAtIndex<Beat | undefined>(loadedDataConverter, 0, heartbeatDetails?.payloads, context);
      // A heartbeat that this set-up did not encrypt is not shown.
      now.set(activityId, { data, beat: said.catch(() => undefined) });
    }
    known = now;
    const beats = await Promise.all([...now.values()].map(({ beat }) => beat));
    return beats.filter((beat): beat is Beat => beat !== undefined && beat !== null);
  };
}
