import { Script } from 'node:vm';

/** Global symbol under which the script finds the function. */
const CALLED = Symbol.for('provisioning.watched');
const holder = globalThis as unknown as Record<symbol, (() => unknown) | undefined>;
const script = new Script(`globalThis[Symbol.for('provisioning.watched')]()`, { filename: 'watched.js' });

/** Reports whether an error is from `limitCall`, which ended a call. */
export const isEnded = (error: unknown): boolean =>
  error instanceof Error && (error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';

/**
 * Calls a function, and ends it from another thread if it takes too long. An engine in WebAssembly needs this: it
 * checks for interrupts only between its instructions. A single instruction, such as a search in a list with a claimed
 * length of 2^53, may never end. It is no security boundary: the function keeps all its access.
 *
 * @param ms time limit in milliseconds
 * @throws an error that `isEnded` recognizes; the engine must not be used again
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
