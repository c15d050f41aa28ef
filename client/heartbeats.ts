import type { Client as Temporal, WorkflowExecutionDescription } from '@temporalio/client';
import { decodeFromPayloadsAtIndex } from '@temporalio/common/lib/internal-non-workflow/index.js';
import type { Cell } from '../core/operation.js';

/** What an activity last said of its work. */
export type Beat = Partial<Cell> & { line?: string };

/** The last words of each activity that is at work. */
export async function beatsOf(temporal: Temporal, { raw }: WorkflowExecutionDescription): Promise<Beat[]> {
  const said = (raw.pendingActivities ?? []).map(({ heartbeatDetails }) => heartbeatDetails?.payloads);
  const beats = await Promise.all(
    said.map((payloads) => decodeFromPayloadsAtIndex<Beat | undefined>(temporal.options.loadedDataConverter, 0, payloads)),
  );
  return beats.filter((beat): beat is Beat => beat !== undefined && beat !== null);
}
