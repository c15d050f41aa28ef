import { hostname } from 'node:os';
import type { TestOwner } from '../../core/environment/test-environment.js';
import { isAlive, readProcessMark } from '../../home/process-mark.js';
import type { Context } from '../context.js';

/** Returns this process as the owner of a test environment. */
export const ownOwner = (): TestOwner => ({
  host: hostname(),
  pid: process.pid,
  started: readProcessMark(process.pid)?.started ?? 'unknown',
});

/** Returns whether the owning process has ended, as far as this machine can tell. */
const isGone = (owner: TestOwner): boolean => owner.host === hostname() && !isAlive(owner);

/**
 * Removes the remains of commands that were killed on this machine, and test environments whose time to live is no
 * longer tracked.
 *
 * @returns the names of removed environments
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

/** Ignores an environment that has just expired. */
function unlessGone(error: unknown): void {
  const { code } = (error as { details?: { code?: string } }).details ?? {};
  if (code !== 'unknown-environment') throw error;
}
