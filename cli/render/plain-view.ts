import type { Cell, Progress } from '../../core/operation/operation.js';
import { cut, type Screen } from '../program/screen.js';
import { REASON_COLUMNS } from './status.js';

/** View of a running operation. */
export interface View {
  update(progress: Progress): void;
  /**
   * Prepares the screen for the next writer.
   *
   * @param keep whether the last view is still useful
   */
  end(keep: boolean): void;
}

/** Prints one line for each change: `web-1/nginx: Write /etc/nginx/nginx.conf (2/4)`. */
export class PlainView implements View {
  readonly #screen: Pick<Screen, 'write'>;
  readonly #shown = new Map<string, string>();
  #waiting: string | undefined;
  #noted = 0;

  constructor(screen: Pick<Screen, 'write'>) {
    this.#screen = screen;
  }

  update(progress: Progress): void {
    if (progress.waiting !== undefined && progress.waiting !== this.#waiting) this.#screen.write(`waiting: ${progress.waiting}\n`);
    this.#waiting = progress.waiting;
    for (const { on, text } of progress.notes?.slice(this.#noted) ?? []) this.#screen.write(`${on}: ${text}\n`);
    this.#noted = progress.notes?.length ?? 0;
    for (const cell of progress.cells) {
      const name = cellName(cell);
      const text = cellText(cell);
      if (text === undefined || this.#shown.get(name) === text) continue;
      this.#shown.set(name, text);
      this.#screen.write(`${name}: ${text}\n`);
    }
  }

  end(): void {}
}

/** Returns `web-1/nginx`, or `web-1` for the server itself. */
export const cellName = ({ server, taskserv }: Cell): string => (taskserv === undefined ? server : `${server}/${taskserv}`);

function cellText({ state, step, done, total, again }: Cell): string | undefined {
  switch (state) {
    case 'pending':
      return undefined;
    case 'running': {
      const at = total ? `(${Math.min((done ?? 0) + 1, total)}/${total})` : '';
      // The reason is shown once, not with each attempt.
      const text = [step, at].filter(Boolean).join(' ');
      return !step ? undefined : `${text}${again ? `: tries again: ${cut(again.why, REASON_COLUMNS)}` : ''}`;
    }
    case 'failed':
      // The error at the end shows all of it.
      return cut(`failed${step ? `: ${step}` : ''}`, REASON_COLUMNS);
    default:
      return state;
  }
}
