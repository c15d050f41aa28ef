import { patched, sleep, workflowInfo } from '@temporalio/workflow';
import { firstPause, nextPause } from '../infra/ask-again-pause.js';
import type { Books } from './batch-books.js';

/**
 * Repeats, with a growing pause, the requests of a batch's operations that wait for a lock: an entity that was replaced
 * does not know them. One timer runs while any of them waits, so that the history of a busy batch does not grow by it.
 *
 * @param waiting those that wait now
 */
export function askerAgain(books: Books, waiting: () => number[]): { look(): void } {
  const first = firstPause(books.request.timing?.askAgainMs);
  let pause = first;
  let isPausing = false;
  const askAgain = () => {
    isPausing = false;
    pause = nextPause(pause, workflowInfo().historyLength);
    books.askAgain(waiting());
  };
  return {
    look() {
      if (isPausing) return;
      if (waiting().length === 0) pause = first;
      else if (patched('batch-asks-again')) {
        isPausing = true;
        void sleep(pause).then(askAgain);
      }
    },
  };
}
