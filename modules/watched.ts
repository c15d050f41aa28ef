import { Script } from 'node:vm';

/** Where the script finds what it calls. */
const CALLED = Symbol.for('provisioning.watched');
const holder = globalThis as unknown as Record<symbol, (() => unknown) | undefined>;
const script = new Script(`globalThis[Symbol.for('provisioning.watched')]()`, { filename: 'watched.js' });

/** What `watched` throws when it has ended a call. */
export const isEnded = (error: unknown): boolean =>
  error instanceof Error && (error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';

/**
 * Calls a function, and ends it from another thread if it takes too long. It is for an engine in WebAssembly:
 * the engine asks whether to go on only between its own instructions, and one of them, such as a search in a list that
 * says it has 2^53 entries, may never end. It is no boundary: the function has all that it has elsewhere.
 *
 * @param ms milliseconds
 * @throws what `isEnded` knows; what the function worked on is in no state to be used again
 */
export function limitCall<T>(use: () => T, ms: number): T {
  const before = holder[CALLED];
  holder[CALLED] = use;
  try {
    return script.runInThisContext({ timeout: ms }) as T;
  } finally {
    holder[CALLED] = before;
  }
}
