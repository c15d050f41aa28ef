import { addAbortListener } from 'node:events';

/** Requests within this time are combined, in milliseconds. */
const WINDOW_MS = 10;
/** Maximum number of names per page. */
const MOST = 50;

/**
 * Combines requests for single resources into requests for many, if they arrive within a moment or during an earlier
 * request. An answer is never older than its request.
 */
export function gatherer<T>(ask: (names: readonly string[]) => Promise<ReadonlyMap<string, T>>) {
  let waiting = new Map<string, { answer: (found: T | undefined) => void; fail: (error: unknown) => void }[]>();
  let busy = false;

  async function run(): Promise<void> {
    busy = true;
    await new Promise((resolve) => setTimeout(resolve, WINDOW_MS));
    while (waiting.size > 0) {
      const taken = [...waiting].slice(0, MOST);
      waiting = new Map([...waiting].slice(MOST));
      try {
        const found = await ask(taken.map(([name]) => name));
        for (const [name, callers] of taken) for (const { answer } of callers) answer(found.get(name));
      } catch (error) {
        for (const [, callers] of taken) for (const { fail } of callers) fail(error);
      }
    }
    busy = false;
  }

  return (name: string, signal?: AbortSignal): Promise<T | undefined> => {
    signal?.throwIfAborted();
    const answered = new Promise<T | undefined>((answer, fail) => {
      const callers = waiting.get(name) ?? [];
      callers.push({ answer, fail });
      waiting.set(name, callers);
    });
    if (!busy) void run();
    return obeySignal(signal, answered);
  };
}

/** Rejects with the signal, while the work continues for other callers. */
export function obeySignal<T>(signal: AbortSignal | undefined, work: Promise<T>): Promise<T> {
  if (!signal) return work;
  return new Promise<T>((resolve, reject) => {
    const stop = () => reject(signal.reason);
    const listening = addAbortListener(signal, stop);
    work.then(resolve, reject).finally(() => listening[Symbol.dispose]());
  });
}
