import { forgetKeys } from '../../app/limits/forget-keys.js';
import { messageOf } from '../../core/errors.js';
import type { Rows } from '../../stores/rows.js';

/** In milliseconds. */
const HOUR_MS = 3_600_000;

/** Deletes ended keys of calls each hour. Several instances may do so at a time. */
export function keepKeysFew(rows: () => Promise<Rows>, everyMs = HOUR_MS): { stop(): void } {
  const clean = async () => forgetKeys(await rows());
  const timer = setInterval(() => {
    clean().catch((error: unknown) => console.error(`keys of calls were not cleaned up: ${messageOf(error)}`));
  }, everyMs);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
