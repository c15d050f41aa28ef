/** Faults that a stand-in can inject. */
export const FAULTS = ['busy', 'broken', 'cut-before', 'cut-after', 'slow', 'truncated', 'stale', 'quota'] as const;
export type FaultKind = (typeof FAULTS)[number];

export interface Fault {
  /**
   * `busy` answers 429 with Retry-After, and `broken` answers 500. `cut-before` and `cut-after` close the connection
   * before or after the effect. `slow` delays the answer. `truncated` sends half of the answer after the effect.
   * `stale` answers a read with the state before the last change. `quota` rejects requests that create something.
   */
  kind: FaultKind;
  /** Number of the affected request, from 1. */
  at?: number;
  /** Number of affected requests in a row. */
  times?: number;
  /** For `busy`: whole seconds, as in HTTP. */
  retryAfterS?: number;
}

export interface LoggedRequest {
  /** Time when the request arrived, in milliseconds of `Date.now()`. */
  at: number;
  method: string;
  /** Path including the query. */
  path: string;
  fault?: FaultKind;
  /** For `busy`: earliest time of the next request. */
  notBefore?: number;
}

/** Delay of a `slow` answer, in milliseconds. */
export const SLOW_MS = 150;

/** Upcoming faults of a stand-in, and all received requests. */
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

  /** Logs a request and returns its fault. */
  take(method: string, path: string): Fault | undefined {
    const number = this.log.length + 1;
    const fault = this.planned.find(({ from, to }) => number >= from && number <= to)?.fault;
    const at = Date.now();
    const notBefore = fault?.kind === 'busy' ? at + (fault.retryAfterS ?? 1) * 1000 : undefined;
    this.log.push({ at, method, path, fault: fault?.kind, notBefore });
    return fault;
  }

  /** Whether the planned fault has occurred. */
  get met(): boolean {
    return this.planned.every(({ from }) => this.log.length >= from);
  }

  /** Lists requests that came before the time in an answer 429. */
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
