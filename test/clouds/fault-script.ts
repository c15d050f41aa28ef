/** What a stand-in does wrong when it is told to. */
export const FAULTS = ['busy', 'broken', 'cut-before', 'cut-after', 'slow', 'truncated', 'stale', 'quota'] as const;
export type FaultKind = (typeof FAULTS)[number];

export interface Fault {
  /**
   * `busy` 429 with Retry-After, `broken` 500, `cut-before` and `cut-after` close the connection before or after the
   * effect, `slow` holds the answer back, `truncated` sends half of it after the effect, `stale` answers a read as
   * before the last change, `quota` refuses what makes something.
   */
  kind: FaultKind;
  /** Which of the requests from now on it hits, from 1. */
  at?: number;
  /** How many in a row. */
  times?: number;
  /** Of `busy`: whole seconds, as HTTP has them. */
  retryAfterS?: number;
}

export interface LoggedRequest {
  /** Milliseconds of `Date.now()` when it came. */
  at: number;
  method: string;
  /** With its query. */
  path: string;
  fault?: FaultKind;
  /** With `busy`: nothing may come before. */
  notBefore?: number;
}

/** How long a `slow` answer is held back, in milliseconds. */
export const SLOW_MS = 150;

/** The faults of a stand-in to come, and all requests that came. */
export class FaultScript {
  readonly log: LoggedRequest[] = [];
  private planned: { fault: Fault; from: number; to: number }[] = [];

  plan(fault: Fault): void {
    const from = this.log.length + (fault.at ?? 1);
    this.planned.push({ fault, from, to: from + (fault.times ?? 1) - 1 });
  }

  clear(): void {
    this.planned = [];
  }

  /** Enters a request into the log; answers the fault that it meets. */
  take(method: string, path: string): Fault | undefined {
    const number = this.log.length + 1;
    const fault = this.planned.find(({ from, to }) => number >= from && number <= to)?.fault;
    const at = Date.now();
    const notBefore = fault?.kind === 'busy' ? at + (fault.retryAfterS ?? 1) * 1000 : undefined;
    this.log.push({ at, method, path, fault: fault?.kind, notBefore });
    return fault;
  }

  /** Whether the fault that was planned has been met. */
  get met(): boolean {
    return this.planned.every(({ from }) => this.log.length >= from);
  }

  /** Requests that came before the time that an answer 429 had given, in words. */
  tooEarly(): string[] {
    let notBefore = 0;
    const found: string[] = [];
    for (const { at, method, path, notBefore: next } of this.log) {
      if (at < notBefore) found.push(`${method} ${path} came ${notBefore - at} ms too early`);
      notBefore = Math.max(notBefore, next ?? 0);
    }
    return found;
  }
}
