import { randomUUID } from 'node:crypto';
import { cleanTokens } from '../../app/access/clean-tokens.js';
import { forgetKeys } from '../../app/limits/forget-keys.js';
import type { CallRecords } from '../../app/record-calls.js';
import { messageOf } from '../../core/errors.js';
import type { Rows } from '../../stores/rows.js';

/** In milliseconds. The first pass comes soon, since a server may be restarted every day. */
const FIRST_MS = 60_000;
const HOUR_MS = 3_600_000;

interface Pace {
  firstMs?: number;
  everyMs?: number;
}

/**
 * Deletes ended keys of calls and old tokens, and records expired tokens, each hour. Several instances may do so at a
 * time.
 */
export function cleanHourly(
  rows: () => Promise<Rows>,
  { note }: Pick<CallRecords, 'note'>,
  { firstMs = FIRST_MS, everyMs = HOUR_MS }: Pace = {},
): { stop(): void } {
  const holder = randomUUID();
  let isStopped = false;
  const tryTo = (what: string, work: Promise<unknown>) =>
    work.catch((error: unknown) => {
      if (!isStopped) console.error(`${what} were not cleaned up: ${messageOf(error)}`);
    });
  const clean = async () => {
    await tryTo(
      'keys of calls',
      rows().then((opened) => forgetKeys(opened)),
    );
    await tryTo(
      'tokens',
      rows().then((opened) => cleanTokens(opened, note, { holder })),
    );
    if (!isStopped) timer = setTimeout(clean, everyMs).unref();
  };
  let timer = setTimeout(clean, firstMs).unref();
  return {
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
