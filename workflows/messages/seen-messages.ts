import { GOOD_FOR_MS, type SeenState } from '../../core/encoding/sealed-message.js';

/** So many ids are remembered however old they are: about 40 KiB where a run continues as new. */
const KEPT = 1_000;

/**
 * Remembers the messages of a workflow across its runs, so none acts twice.
 *
 * A message may have waited for hours in the history of a workflow without a worker, so its age is not enough.
 * Received messages are remembered as long as messages on their way may be valid. If there are too many, the oldest
 * are forgotten, and messages that were sealed before them are refused.
 */
export class SeenMessages {
  private readonly ids = new Map<string, number>();
  private horizon: number;
  /** When the receiver worked last, and before that: messages that it finds now were sent since. */
  private now = 0;
  private before = 0;

  constructor(state?: SeenState) {
    this.horizon = state?.horizon ?? 0;
    for (const [id, at] of state?.ids ?? []) this.ids.set(id, at);
  }

  /** Takes a message in, or says why not. @param now time of the receiver, in milliseconds since 1970 */
  take({ id, at }: { id: string; at: number }, now: number): undefined | 'repeated' | 'too-old' {
    if (now > this.now) {
      this.before = this.now;
      this.now = now;
    }
    if (this.ids.has(id)) return 'repeated';
    if (at < this.horizon) return 'too-old';
    this.ids.set(id, at);
    this.forget();
    return undefined;
  }

  /** Whether a message of this id was taken in and is remembered. */
  has(id: string): boolean {
    return this.ids.has(id);
  }

  private forget(): void {
    if (this.ids.size <= KEPT) return;
    for (const [id, at] of this.ids) {
      if (this.ids.size <= KEPT || at >= this.before - GOOD_FOR_MS) break;
      this.ids.delete(id);
      this.horizon = Math.max(this.horizon, at + 1);
    }
  }

  /** State for the next run. */
  state(): SeenState {
    return { horizon: this.horizon, ids: [...this.ids] };
  }
}
