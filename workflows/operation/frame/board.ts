import type { Progress } from '../../../core/operation/operation.js';
import { refreshDetails } from '../details.js';
import type { Showing, Skipping } from '../operation.js';

export interface Board extends Showing, Skipping {
  /** What was left out is decided again. */
  clear(): void;
}

/**
 * What an operation shows of its servers and services, and what it leaves out of them.
 *
 * @param changes how often its input was changed by now
 */
export function boardOf(progress: Progress, changes: () => number): Board {
  /** Where in the list of cells a thing is. */
  const places = new Map<string, number>();
  const board: Board = {
    leftOut: new Map(),
    show(cell) {
      const thing = cell.taskserv ? `${cell.server}/${cell.taskserv}` : cell.server;
      const index = places.get(thing);
      const former = index === undefined ? undefined : progress.cells[index];
      if (index === undefined) places.set(thing, progress.cells.push(cell) - 1);
      // What this operation did before its input changed stays done.
      else if (changes() === 0 || former?.state !== 'done' || cell.state !== 'unchanged') progress.cells[index] = cell;
      refreshDetails(progress);
    },
    executed(steps) {
      progress.steps.executed += steps;
    },
    noteHostKey(server, fingerprint) {
      if (!fingerprint) return;
      const text = `the key of this host was seen for the first time and is pinned: ${fingerprint}`;
      progress.notes = [...(progress.notes ?? []), { on: server, text }];
      refreshDetails(progress);
    },
    leaveOut(on, why) {
      board.leftOut.set(on, why);
      progress.skipped = [...(progress.skipped ?? []).filter((one) => one.on !== on), { on, why }];
      const [server = '', taskserv] = on.split('/');
      if (server !== 'network') board.show({ server, ...(taskserv ? { taskserv } : {}), state: 'skipped', step: why });
    },
    clear() {
      board.leftOut.clear();
      progress.skipped = undefined;
    },
  };
  return board;
}
