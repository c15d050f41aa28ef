import { heartbeat } from '@temporalio/activity';

const EVERY_MS = 2_000;

/**
 * The same activities, each giving a sign of life while it runs, so that the
 * death of their worker is noticed in seconds. For those that have nothing to
 * say meanwhile: a bare sign replaces what the activity itself said before.
 */
export function beating<T extends Record<string, (...args: never[]) => Promise<unknown>>>(activities: T): T {
  const wrapped = Object.entries(activities).map(([name, activity]) => [
    name,
    async (...args: never[]) => {
      const pulse = setInterval(() => heartbeat(), EVERY_MS);
      try {
        return await activity(...args);
      } finally {
        clearInterval(pulse);
      }
    },
  ]);
  return Object.fromEntries(wrapped) as T;
}
