import { inputError, messageOf, unreachableError } from '../core/errors.js';
import { clipText } from '../core/text.js';

const what = 'list the available versions';

/** Creates the error for a source that does not answer in time. A stored answer may be used for a while. */
export const createNoAnswer = (on: string, why: string) => unreachableError({ code: 'versions-not-answered', what, on, why });

/** Creates the error for a source that limits requests. @param forMs milliseconds */
export const busy = (on: string, forMs: number, until: Date) =>
  unreachableError({
    code: 'versions-limited',
    what,
    on,
    why: `the source accepts no more requests from this address until ${until.toISOString().slice(0, 16).replace('T', ' ')} UTC`,
    retryAfterMs: forMs,
    hint: 'the source limits requests per address: try again after that time, or set a mirror (versions.mirrors)',
  });

/** Creates the error for an answer of another kind, such as the login page of a network. */
export const unreadable = (on: string, why: string) => unreachableError({ code: 'versions-unreadable', what, on, why });

/** Creates the error for a source that answers but does not have the file. */
export const createMissingError = (on: string, why: string, hint?: string) =>
  inputError({ code: 'versions-missing', what, on, why, ...(hint !== undefined && { hint }) });

/** Creates the error for an answer that must not be trusted. A stored answer does not replace it. */
export const createNotGenuineError = (on: string, why: string) =>
  inputError({
    code: 'versions-not-genuine',
    what,
    on,
    why,
    hint: 'the answer was discarded; check the server behind the address, and the mirrors (versions.mirrors)',
  });

/** Returns the cause of a `fetch` error, whose own message only says that the request failed. */
export function reasonOf(thrown: unknown): string {
  const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;
  const inner = cause instanceof AggregateError && cause.errors[0] instanceof Error ? cause.errors[0] : cause;
  const text = messageOf(inner) || ((inner as { code?: string }).code ?? 'no reason is told');
  return clipText(text, 200);
}
