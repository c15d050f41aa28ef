import { inputError, messageOf, unreachableError } from '../core/errors.js';
import { clipText } from '../core/text.js';

const what = 'list the available versions';

/** A source does not answer, or not in time: a kept answer does for a while. */
export const createNoAnswer = (on: string, why: string) => unreachableError({ code: 'versions-not-answered', what, on, why });

/** A source wants to be left alone for a while. @param forMs milliseconds */
export const busy = (on: string, forMs: number, until: Date) =>
  unreachableError({
    code: 'versions-limited',
    what,
    on,
    why: `the source accepts no more requests from this address until ${until.toISOString().slice(0, 16).replace('T', ' ')} UTC`,
    retryAfterMs: forMs,
    hint: 'the source limits requests per address: try again after that time, or set a mirror (versions.mirrors)',
  });

/** What came is not what was asked for, such as the login page of a network. */
export const unreadable = (on: string, why: string) => unreachableError({ code: 'versions-unreadable', what, on, why });

/** A source answers, and has nothing there. */
export const createMissingError = (on: string, why: string, hint?: string) =>
  inputError({ code: 'versions-missing', what, on, why, ...(hint !== undefined && { hint }) });

/** A source that must not be believed: nothing that was kept of it makes up for it. */
export const createNotGenuineError = (on: string, why: string) =>
  inputError({
    code: 'versions-not-genuine',
    what,
    on,
    why,
    hint: 'the answer was discarded; check the server behind the address, and the mirrors (versions.mirrors)',
  });

/** The reason of what `fetch` throws: what it says itself is only that it failed. */
export function reasonOf(thrown: unknown): string {
  const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;
  const inner = cause instanceof AggregateError && cause.errors[0] instanceof Error ? cause.errors[0] : cause;
  const text = messageOf(inner) || ((inner as { code?: string }).code ?? 'no reason is told');
  return clipText(text, 200);
}
