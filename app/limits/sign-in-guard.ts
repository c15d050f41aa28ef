import { createHash } from 'node:crypto';
import { messageOf } from '../../core/errors.js';
import { failedSignInsByAddress } from '../../stores/rows/failed-sign-ins.js';
import type { Rows } from '../../stores/rows.js';
import { readAll } from '../access/service-accounts.js';

/** Failures are counted for this long, and an address is blocked for as long, in milliseconds. */
export const WINDOW_MS = 10 * 60_000;
/** How often the counts of this instance are written, and the blocks of all are read, in milliseconds. */
const SHARE_MS = 2_000;
/** Addresses that are written at a time, at most: those with the most failures. */
const MOST_WRITTEN = 100;
/** Addresses that are counted, and tokens that are remembered, at most. */
const MOST_KEPT = 10_000;
/** A token that was accepted passes from a blocked address for this long, in milliseconds. */
const ACCEPTED_MS = 10 * 60_000;

export interface SignInGuard {
  /** Milliseconds for which a sign-in from this address is refused; undefined: it is tried. */
  blockedFor(address: string, bearer: string): number | undefined;
  /** Counts a sign-in that failed. */
  failed(address: string): void;
  /** Records a valid token: it passes while others from its address are refused. */
  accepted(bearer: string): void;
  /** Writes the counts, and reads the blocks of all instances. */
  share(): Promise<void>;
  stop(): void;
}

/**
 * Counts failed sign-ins by address, for all instances that share a store. A valid request reads nothing from the
 * store, and a failed one writes nothing. Every two seconds the counts are written, and the blocks are read.
 *
 * @param most failures in ten minutes, from one address
 */
export function guardSignIns(rows: () => Promise<Rows>, most: number, everyMs = SHARE_MS): SignInGuard {
  const failures = new Map<string, number>();
  /** When the block of an address ends, in milliseconds. */
  const blocked = new Map<string, number>();
  const good = new Map<string, number>();
  const hash = (bearer: string) => createHash('sha256').update(bearer).digest('base64url');
  let isSharing = false;

  async function write(): Promise<void> {
    if (failures.size === 0) return;
    const table = (await rows()).table(failedSignInsByAddress);
    const worst = [...failures].sort(([, a], [, b]) => b - a).slice(0, MOST_WRITTEN);
    failures.clear();
    for (const [address, count] of worst) {
      for (;;) {
        const found = await table.get({ address });
        const isCurrent = found !== undefined && Date.parse(found.row.until) > Date.now();
        if (isCurrent && found.row.state === 'blocked') break;
        const all = count + (isCurrent ? found.row.failures : 0);
        const ends = new Date(Date.now() + WINDOW_MS).toISOString();
        const row =
          all >= most
            ? ({ address, state: 'blocked', failures: all, until: ends } as const)
            : ({ address, state: 'counting', failures: all, until: isCurrent ? found.row.until : ends } as const);
        if (await table.compareAndSet(row, found?.revision)) break;
      }
    }
  }

  async function read(): Promise<void> {
    const table = (await rows()).table(failedSignInsByAddress);
    const now = Date.now();
    for (const { row, revision } of await readAll(table, { state: 'blocked' })) {
      const until = Date.parse(row.until);
      if (until > now) blocked.set(row.address, until);
      else await table.delete({ address: row.address }, revision);
    }
    for (const [address, until] of blocked) if (until <= now) blocked.delete(address);
  }

  async function share(): Promise<void> {
    if (isSharing) return;
    isSharing = true;
    try {
      await write();
      await read();
    } finally {
      isSharing = false;
    }
  }

  const timer = setInterval(() => {
    share().catch((error: unknown) => console.error(`failed sign-ins were not shared: ${messageOf(error)}`));
  }, everyMs);
  timer.unref();

  return {
    blockedFor(address, bearer) {
      const leftMs = (blocked.get(address) ?? 0) - Date.now();
      if (leftMs <= 0) return undefined;
      return (good.get(hash(bearer)) ?? 0) > Date.now() ? undefined : leftMs;
    },
    failed(address) {
      if (!failures.has(address) && failures.size >= MOST_KEPT) return;
      const count = (failures.get(address) ?? 0) + 1;
      failures.set(address, count);
      // Not only after it was shared: a flood is faster.
      if (count >= most) blocked.set(address, Date.now() + WINDOW_MS);
    },
    accepted(bearer) {
      const key = hash(bearer);
      good.delete(key);
      if (good.size >= MOST_KEPT) good.delete(good.keys().next().value as string);
      good.set(key, Date.now() + ACCEPTED_MS);
    },
    share,
    stop: () => clearInterval(timer),
  };
}
