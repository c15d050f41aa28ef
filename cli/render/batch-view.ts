import type { BatchRow, BatchState } from '../../core/operation/batch.js';
import { type Paint, paintFor, type Screen } from '../program/screen.js';
import { countOver, countsOf, renderBar } from './batch.js';
import { LiveBlock } from './live-block.js';
import { clock } from './live-view.js';

/** View of a running batch. */
export interface BatchView {
  /**
   * Updates the view.
   *
   * @param rows running and failed operations
   */
  update(state: BatchState, rows: BatchRow[]): void;
  end(): void;
}

/** Counts and a bar, with running and failed operations below, redrawn in place. */
export class LiveBatchView implements BatchView {
  readonly #block: LiveBlock;
  readonly #paint: Paint;
  readonly #start = Date.now();
  #state: BatchState | undefined;
  #rows: BatchRow[] = [];

  constructor(screen: Screen) {
    this.#paint = paintFor(screen);
    this.#block = new LiveBlock(screen, () => this.#lines());
  }

  update(state: BatchState, rows: BatchRow[]): void {
    this.#state = state;
    this.#rows = rows;
    this.#block.start();
  }

  end(): void {
    this.#block.end();
  }

  #lines(): string[] {
    const state = this.#state;
    if (!state) return [];
    const paint = this.#paint;
    const head = `${state.name}  ${state.status}  ${countOver(state)}/${state.operations}  ${clock(Date.now() - this.#start)}`;
    const failed = this.#rows.filter(({ mark }) => mark === 'failed' || mark === 'left');
    const running = this.#rows.filter(({ mark }) => mark === 'running' || mark === 'undoing');
    return [
      paint('bold', head),
      `${renderBar(state, 40, paint)}  ${countsOf(state, paint)}`,
      ...(state.waiting ? [paint('yellow', `waiting: ${state.waiting}`)] : []),
      ...failed.slice(0, 5).map(({ name, why }) => `${paint('red', '✘')} ${name}: ${why ?? ''}`),
      ...running.slice(0, 8).map(({ name, verb, kind, infra }) => `${paint('cyan', '▶')} ${name}: ${verb} ${kind} on ${infra}`),
    ];
  }
}

/** Prints a line for each twentieth of the work, each failure and each wait. */
export class PlainBatchView implements BatchView {
  readonly #screen: Pick<Screen, 'write'>;
  readonly #told = new Set<string>();
  #twentieth = -1;

  constructor(screen: Pick<Screen, 'write'>) {
    this.#screen = screen;
  }

  update(state: BatchState, rows: BatchRow[]): void {
    for (const { name, mark, why } of rows) {
      if (mark === 'failed' || mark === 'left') this.#once(`${name}: ${mark}: ${why ?? ''}`);
    }
    if (state.waiting) this.#once(`waiting: ${state.waiting}`);
    if (state.status === 'rolling-back') this.#once('rolling back what was done');
    const twentieth = Math.floor((20 * countOver(state)) / Math.max(1, state.operations));
    if (twentieth === this.#twentieth) return;
    this.#twentieth = twentieth;
    this.#screen.write(`${countOver(state)} of ${state.operations}: ${countsOf(state, (_, text) => text)}\n`);
  }

  end(): void {}

  #once(line: string): void {
    if (this.#told.has(line)) return;
    this.#told.add(line);
    this.#screen.write(`${line}\n`);
  }
}
