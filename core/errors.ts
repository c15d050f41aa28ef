/** The blame of a transient error, as histories and programs have it (docs/reference/wire-names.md). */
export const TRANSIENT = 'weather';

/**
 * Decides about retries: `user` errors and `bug`s are never retried, transient errors (a network, a busy API) are. The
 * exit code follows from the kind of the code (core/error-kinds.ts), not from the blame.
 */
export type Blame = 'user' | typeof TRANSIENT | 'bug';

export interface ErrorDetails {
  /** Stable, kebab-case; becomes the type of a Temporal failure. */
  code: string;
  blame: Blame;
  /**
   * The attempted action, in words that follow `cannot`: `create the server`. For `step-failed`, the title of the
   * step.
   */
  what: string;
  /** On what: a server, a file, a service. */
  on?: string;
  /** Why it failed, one line, values quoted, no secret. */
  why: string;
  /** A remedy, where one is known. */
  hint?: string;
  /** Something that has to be there first, such as a disk with room: never retried. A code that this release does not know is then of the kind `unavailable`. */
  absent?: true;
  /** When a busy service asked to be called again: milliseconds from now. */
  retryAfterMs?: number;
  /** Tried for as long as there is sense in it: transient, and yet not tried again. */
  final?: true;
  /** Transient, and tried until the time that its activity is given was worked: what becomes of it, `onTimeout` says. */
  outOfPatience?: true;
}

/** A step on a host that failed. */
const STEP_FAILED = 'step-failed';

/** Text of a failed step, the same everywhere: `Install nginx failed on web-1/nginx: exit code 100`. */
export const describeFailedStep = ({ step, on, why }: { step: string; on?: string; why: string }): string =>
  `${step} failed${on ? ` on ${on}` : ''}: ${why}`;

/** The text of an error, everywhere: `cannot find the infra: shop: the workspace "default" has no such infra`. */
export const errorText = ({ code, what, on, why }: Pick<ErrorDetails, 'code' | 'what' | 'on' | 'why'>): string =>
  code === STEP_FAILED ? describeFailedStep({ step: what, on, why }) : [`cannot ${what}`, on, why].filter(Boolean).join(': ');

/**
 * The one error of the project. Its message reads *cannot do what: on what: why*.
 * Whether Temporal retries it follows from `blame`, not from the place that throws it.
 */
export class ProvisioningError extends Error {
  override readonly name = 'ProvisioningError';
  readonly details: ErrorDetails;

  constructor(details: ErrorDetails, options?: ErrorOptions) {
    super(errorText(details), options);
    this.details = details;
  }
}

type Parts = Omit<ErrorDetails, 'blame'>;

/** Creates an error of the user's input, which is never retried. */
export const inputError = (parts: Parts, options?: ErrorOptions) => new ProvisioningError({ ...parts, blame: 'user' }, options);

/** A service or host that does not answer now: retried. */
export const unreachableError = (parts: Parts, options?: ErrorOptions) =>
  new ProvisioningError({ ...parts, blame: TRANSIENT }, options);

/** Creates an error about a missing thing that waiting does not bring. It is never retried. */
export const absentError = (parts: Parts, options?: ErrorOptions) =>
  new ProvisioningError({ ...parts, blame: 'user', absent: true }, options);

/** A broken promise of this code: never retried. */
export const bugError = (parts: Parts, options?: ErrorOptions) => new ProvisioningError({ ...parts, blame: 'bug' }, options);

/** The message of anything thrown, on one line. */
export function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/\s*\n\s*/g, ' ').trim();
}
