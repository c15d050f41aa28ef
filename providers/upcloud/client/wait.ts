import { isNotFound, UpCloudError } from './error.js';
import type { CallOptions } from './http.js';

export interface WaitOptions extends CallOptions {
  /** Interval between polls, in milliseconds. Default 5,000, as in the vendor's own tools. */
  everyMs?: number;
  /** Time limit, in milliseconds. Default 600,000. */
  timeoutMs?: number;
  /** Called after each poll except the last one. */
  onLook?: (what: unknown) => void;
}

/** Polls until the result is as wanted. Throws `timeout` after the time limit. */
export function waitUntil<T, S extends T>(
  what: string,
  look: () => Promise<T>,
  done: (seen: T) => seen is S,
  options?: WaitOptions,
): Promise<S>;
export function waitUntil<T>(what: string, look: () => Promise<T>, done: (seen: T) => boolean, options?: WaitOptions): Promise<T>;
export async function waitUntil<T>(
  what: string,
  look: () => Promise<T>,
  done: (seen: T) => boolean,
  options: WaitOptions = {},
): Promise<T> {
  const { everyMs = 5_000, timeoutMs = 600_000, signal, onLook } = options;
  const end = Date.now() + timeoutMs;
  for (;;) {
    signal?.throwIfAborted();
    const seen = await look();
    if (done(seen)) return seen;
    onLook?.(seen);
    if (Date.now() + everyMs > end) {
      const reason = `still not so after ${timeoutMs / 1_000} s`;
      throw new UpCloudError({ kind: 'timeout', request: `wait for ${what}`, code: 'TIMEOUT', reason });
    }
    await pause(everyMs, signal);
  }
}

/** Polls until the resource no longer exists. */
export async function waitUntilGone(what: string, look: () => Promise<unknown>, options: WaitOptions = {}): Promise<void> {
  const seen = async () => {
    try {
      return await look();
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  };
  await waitUntil(what, seen, (found) => found === undefined, options);
}

function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    // This package must work without built-ins of Node.
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}
