import type { Progress } from '../../core/operation/operation.js';
import { type Paint, paintFor, type Screen } from '../program/screen.js';
import { LiveBlock } from './live-block.js';
import { matrix, renderRunning } from './matrix.js';
import type { View } from './plain-view.js';

/** Table of servers × taskservs that is redrawn in place, with the current steps below it. */
export class LiveView implements View {
  readonly #block: LiveBlock;
  readonly #paint: Paint;
  readonly #screen: Screen;
  readonly #start = Date.now();
  #progress: Progress | undefined;

  constructor(screen: Screen) {
    this.#screen = screen;
    this.#paint = paintFor(screen);
    this.#block = new LiveBlock(screen, (tick) => this.#lines(tick));
  }

  update(progress: Progress): void {
    this.#progress = progress;
    this.#block.start();
  }

  end(keep: boolean): void {
    if (!keep) this.#progress = undefined;
    this.#block.end();
    if (this.#progress) this.#screen.write('\n');
  }

  #lines(tick: number): string[] {
    const progress = this.#progress;
    if (!progress) return [];
    const { infra, status, steps, waiting, cells } = progress;
    const head = [infra, status, `${steps.executed}/${steps.planned} steps`, clock(Date.now() - this.#start)].join('  ');
    const wait = waiting === undefined ? [] : [this.#paint('yellow', `waiting: ${waiting}`)];
    const table = matrix(cells, { paint: this.#paint, width: this.#screen.columns(), tick });
    const now = renderRunning(cells, this.#paint);
    return [this.#paint('bold', head), ...wait, ...table, ...now];
  }
}

/** Formats a duration as `1:05`. */
export function clock(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
