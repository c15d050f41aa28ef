import type { Cell, Progress } from '../../../core/operation/operation.js';
import { refreshDetailsSoon } from '../details.js';
import type { Showing, Skipping } from '../operation.js';

export interface Board extends Showing, Skipping {
  /** What was left out is decided again. */
  clear(): void;
}

/**
 * What an operation shows of its servers and services, and what it leaves out of them.
 *
 * @param changes how often its input was changed by now
 * @param leftOut by former runs
 */
export function boardOf(progress: Progress, changes: () => number, leftOut?: [on: string, why: string][]): Board {
  const thingOf = ({ server, taskserv }: Cell) => (taskserv ? `${server}/${taskserv}` : server);
  /** Where in the list of cells a thing is. */
  const places = new Map(progress.cells.map((cell, index) => [thingOf(cell), index]));
  const board: Board = {
    leftOut: new Map(leftOut),
    show(cell) {
      const thing = thingOf(cell);
      const index = places.get(thing);
      const former = index === undefined ? undefined : progress.cells[index];
      if (index === undefined) places.set(thing, progress.cells.push(cell) - 1);
      // What this operation did before its input changed stays done.
      else if (changes() === 0 || former?.state !== 'done' || cell.state !== 'unchanged') progress.cells[index] = cell;
      refreshDetailsSoon(progress);
    },
    executed(steps) {
      progress.steps.executed += steps;
    },
    noteHostKey(server, fingerprint) {
      if (!fingerprint) return;
      const text = `the key of this host was seen for the first time and is pinned: ${fingerprint}`;
      progress.notes = [...(progress.notes ?? []), { on: server, text }];
      refreshDetailsSoon(progress);
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
