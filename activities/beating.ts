import { beat } from './worked-time.js';

const EVERY_MS = 2_000;

/**
 * The same activities, each giving a sign of life while it runs, so that the
 * death of their worker is noticed in seconds.
 */
export function addHeartbeats<T extends Record<string, (...args: never[]) => Promise<unknown>>>(activities: T): T {
  const wrapped = Object.entries(activities).map(([name, activity]) => [
    name,
    (...args: never[]) => beatWhile(() => activity(...args)),
  ]);
  return Object.fromEntries(wrapped) as T;
}

/** Runs long work with heartbeats. */
export async function beatWhile<T>(work: () => Promise<T>): Promise<T> {
  const pulse = setInterval(() => beat(), EVERY_MS);
  try {
    return await work();
  } finally {
    clearInterval(pulse);
  }
}
