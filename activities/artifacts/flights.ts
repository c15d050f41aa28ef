import { addAbortListener } from 'node:events';

/** Callback and deadline of a waiting caller. */
interface Watch {
  signal: AbortSignal;
  onProgress(done: number, total?: number): void;
}

interface Flight {
  done: Promise<void>;
  stop: AbortController;
  waiting: Set<Watch>;
}

/** Runs the same work once for several callers. It ends when the last caller stops waiting. */
export function createFlights() {
  const flights = new Map<string, Flight>();

  return async function fly(key: string, watch: Watch, work: (watch: Watch) => Promise<void>): Promise<void> {
    watch.signal.throwIfAborted();
    const there = flights.get(key);
    const flight = there && !there.stop.signal.aborted ? there : begin(key, work);
    flights.set(key, flight);
    const { waiting, done, stop } = flight;
    waiting.add(watch);
    let leave = () => {};
    const left = new Promise<never>((_, reject) => {
      leave = () => reject(watch.signal.reason);
    });
    const listening = addAbortListener(watch.signal, () => leave());
    try {
      await Promise.race([done, left]);
    } finally {
      listening[Symbol.dispose]();
      waiting.delete(watch);
      if (waiting.size === 0) stop.abort();
    }
  };

  function begin(key: string, work: (watch: Watch) => Promise<void>): Flight {
    const stop = new AbortController();
    const waiting = new Set<Watch>();
    const onProgress: Watch['onProgress'] = (...said) => {
      for (const one of waiting) one.onProgress(...said);
    };
    const done = work({ signal: stop.signal, onProgress }).finally(() => {
      if (flights.get(key)?.done === done) flights.delete(key);
    });
    // All callers may have left by then.
    done.catch(() => {});
    return { done, stop, waiting };
  }
}
