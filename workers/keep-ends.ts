import type { InjectedSinks } from '@temporalio/worker';
import { appendEnd } from '../app/operation/ended.js';
import { messageOf } from '../core/errors.js';
import type { Rows } from '../stores/rows.js';
import type { OperationSinks } from '../workflows/operation/frame/report-end.js';

/** Stores the ends of operations. */
export interface EndKeeper {
  sinks: InjectedSinks<OperationSinks>;
  /** Waits until the reported ends are on disk. */
  settled(): Promise<void>;
}

/**
 * Creates a keeper for the ends of this worker's operations. No operation waits for it: a missing end is read from the
 * history later, and stored then.
 *
 * @param rows opened at the first end
 */
export function createEndKeeper(rows: () => Promise<Rows>): EndKeeper {
  const writing = new Set<Promise<void>>();
  return {
    sinks: {
      operations: {
        ended: {
          callDuringReplay: false,
          fn({ runId }, progress) {
            const end = { run: runId, ended: new Date(), progress };
            const write: Promise<void> = rows()
              .then((opened) => appendEnd(opened, end))
              .catch((error: unknown) => console.error(`an end was not kept: ${messageOf(error)}`))
              .finally(() => writing.delete(write));
            writing.add(write);
          },
        },
      },
    },
    settled: async () => void (await Promise.all(writing)),
  };
}
