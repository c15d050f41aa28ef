import type { Engine } from '../app/engine.js';
import { createPartRemover } from '../app/workspaces/transfer/parts/keep-parts.js';
import { sweepTransfers } from '../app/workspaces/transfer/parts/transfer-slots.js';
import { messageOf } from '../core/errors.js';
import type { Rows } from '../stores/rows.js';

const EVERY_MS = 60 * 60_000;

/** Removes the parts of exported workspaces that were never imported or fetched, every hour until it is stopped. */
export function sweepIdleTransfers(engine: Engine, rows: () => Promise<Rows>): { stop(): void } {
  const timer = setInterval(() => {
    rows()
      .then((open) => sweepTransfers(open, createPartRemover(engine)))
      .catch((error: unknown) => console.error(`idle transfers of workspaces were not removed: ${messageOf(error)}`));
  }, EVERY_MS);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
