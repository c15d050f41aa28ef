import { hostname } from 'node:os';
import type { TestOwner } from '../../core/environment/test-environment.js';
import { isAlive, readProcessMark } from '../../home/process-mark.js';
import type { Context } from '../context.js';

/** This process, as the owner of a test environment. */
export const ownOwner = (): TestOwner => ({
  host: hostname(),
  pid: process.pid,
  started: readProcessMark(process.pid)?.started ?? 'unknown',
});

/** Whether the process that made it runs, as far as this machine can tell. */
const isGone = (owner: TestOwner): boolean => owner.host === hostname() && !isAlive(owner);

/**
 * Removes what commands left that were killed on this machine, and infras of test environments whose time nobody keeps.
 *
 * @returns the names of what was removed
 */
export async function sweepLeft(context: Context): Promise<string[]> {
  const { workspace } = context;
  const { testEnvironments } = await context.client();
  const lost = await testEnvironments.sweep({ workspace });
  const all = await testEnvironments.list({ workspace });
  const dead = all.filter(({ owner }) => owner && isGone(owner)).map(({ infra }) => infra);
  const left = [...new Set([...dead, ...lost])];
  await Promise.all(
    left.map((infra) =>
      testEnvironments.remove({ workspace, infra, why: 'the process that created it has ended' }).catch(unlessGone),
    ),
  );
  return left;
}

/** Its time may have been over just now. */
function unlessGone(error: unknown): void {
  const { code } = (error as { details?: { code?: string } }).details ?? {};
  if (code !== 'unknown-environment') throw error;
}
