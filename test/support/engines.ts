import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { homeOf } from '../../home/home.js';
import { down } from '../../workers/engine/down.js';

/** Variable with the folder for all homes of a test run. */
export const HOMES = 'TEST_HOMES';

/**
 * Creates one folder for the homes of all test engines. At the end, even after an interruption, all of these engines
 * are stopped.
 */
export async function setup(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'provisioning-test-'));
  process.env[HOMES] = folder;
  return async () => {
    for (const name of await readdir(folder)) await down(homeOf({ PROVISIONING_HOME: join(folder, name, 'home') })).catch(() => {});
    await rm(folder, { recursive: true, force: true });
  };
}
