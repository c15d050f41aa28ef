import { cut, printable, type Screen } from '../program/screen.js';

/** Eight frames a second look smooth; more only cost time. */
const INTERVAL_MS = 125;
const HIDE_CURSOR = '\u001b[?25l';
const SHOW_CURSOR = '\u001b[?25h';

/** Block of lines at the bottom of a terminal that is redrawn in place, with a single write to avoid flicker. */
export class LiveBlock {
  readonly #screen: Screen;
  readonly #lines: (tick: number) => string[];
  readonly #restore = () => this.#screen.control(SHOW_CURSOR);
  #height = 0;
  #tick = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(screen: Screen, lines: (tick: number) => string[]) {
    this.#screen = screen;
    this.#lines = lines;
  }

  /** Begins to redraw. Does nothing if it has begun. */
  start(): void {
    if (this.#timer) return;
    this.#screen.control(HIDE_CURSOR);
    process.once('exit', this.#restore);
    this.#timer = setInterval(() => this.#draw(), INTERVAL_MS);
    this.#timer.unref();
    this.#draw();
  }

  /** Draws for the last time and leaves the lines on the screen. */
  end(): void {
    if (!this.#timer) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#draw();
    this.#height = 0;
    process.off('exit', this.#restore);
    this.#restore();
  }

  #draw(): void {
    this.#tick++;
    // Lines that have scrolled off the top cannot be redrawn, so the block never exceeds the screen.
    const lines = this.#lines(this.#tick).slice(0, Math.max(1, this.#screen.rows() - 1));
    const up = this.#height > 0 ? `\u001b[${this.#height}A` : '';
    const text = lines
      .map((line) => `\r${cut(printable(line).replaceAll('\n', ' '), this.#screen.columns() - 1)}\u001b[K\n`)
      .join('');
    this.#screen.control(`${up}${text}\u001b[J`);
    this.#height = lines.length;
  }
}

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
export const spinner = (tick: number): string => FRAMES[tick % FRAMES.length] as string;
