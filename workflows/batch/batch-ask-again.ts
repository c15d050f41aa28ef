import { patched, sleep, workflowInfo } from '@temporalio/workflow';
import { firstPause, NEAR_REQUESTS, nextPause } from '../infra/ask-again-pause.js';
import { queueWatches, WATCH_MS, watchUnless } from '../infra/queue-watch.js';
import type { Books } from './batch-books.js';

export interface Asker {
  /** Begins to repeat requests if some wait now; a watch that does not cover one of them ends. */
  look(): void;
  /** Ends the watch: nothing is asked for any more. */
  stop(): void;
}

/**
 * Repeats, with a growing pause, the requests of a batch's operations that wait for a lock: an entity that was replaced
 * does not know them. One timer runs while any of them waits, so that the history of a busy batch does not grow by it.
 * After some repetitions the worker watches the queues, and requests are repeated when it is worth it.
 *
 * @param waiting those that wait now
 * @param isAsking whether some are just being asked for, and may wait after that
 */
export function askerAgain(books: Books, waiting: () => number[], isAsking: () => boolean): Asker {
  const first = firstPause(books.request.timing?.askAgainMs);
  let pause = first;
  let requests = 0;
  let isPausing = false;
  let watched: { indices: ReadonlySet<number>; isStale: boolean } | undefined;
  const begin = () => {
    pause = first;
    requests = 0;
  };
  const askAgain = (indices: number[]) => {
    isPausing = false;
    books.askAgain(indices);
  };
  const lengthen = () => {
    pause = nextPause(pause, workflowInfo().historyLength);
  };
  const watch = async (indices: number[]) => {
    const own = { indices: new Set(indices), isStale: false };
    watched = own;
    const found = await watchUnless(
      () => own.isStale,
      () => queueWatches.watchBatchQueue(watchOf(books, indices, pause)),
    ).catch(() => undefined);
    watched = undefined;
    if (found) lengthen();
    else begin();
    askAgain(found ?? []);
  };
  return {
    look() {
      if (isPausing && !watched) return;
      const now = waiting();
      // One that came since has its own first requests.
      if (watched && (now.length === 0 || now.some((index) => !watched?.indices.has(index)))) watched.isStale = true;
      if (isPausing) return;
      if (now.length === 0) {
        if (!isAsking()) begin();
      } else if (patched('batch-asks-again')) {
        isPausing = true;
        if (requests++ >= NEAR_REQUESTS && patched('batch-watches-queue')) void watch(now);
        else
          void sleep(pause).then(() => {
            lengthen();
            askAgain(waiting());
          });
      }
    },
    stop() {
      // Former runs left the watch to the end of the batch.
      if (watched && patched('batch-ends-watch')) watched.isStale = true;
    },
  };
}

function watchOf(books: Books, indices: number[], everyMs: number) {
  const { workspace, pages, pageSize } = books.request;
  const used = [...new Set(indices.map((index) => Math.floor(index / pageSize)))];
  return {
    ...{ workspace, pageSize, everyMs, forMs: WATCH_MS },
    pages: Object.fromEntries(used.map((page) => [page, pages[page] as string])),
    waiting: indices.map((index) => ({ index, operation: books.idOf(index) })),
  };
}
