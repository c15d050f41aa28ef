import type { InjectedSinks } from '@temporalio/worker';
import { appendEnd } from '../app/operation/ended.js';
import { messageOf } from '../core/errors.js';
import type { Rows } from '../stores/rows.js';
import type { OperationSinks } from '../workflows/operation/frame/report-end.js';

/** Keeps how operations end. */
export interface EndKeeper {
  sinks: InjectedSinks<OperationSinks>;
  /** Waits until what was reported is on disk. */
  settled(): Promise<void>;
}

/**
 * Keeps the ends of operations that this worker runs. No operation waits for this: an end that was not kept is read from its
 * history, and kept then.
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
