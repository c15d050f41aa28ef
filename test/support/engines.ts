import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { homeOf } from '../../home/home.js';
import { down } from '../../workers/engine/down.js';

/** Names the folder of all homes of a run of the tests. */
export const HOMES = 'TEST_HOMES';

/** One folder for the homes of all test engines; at the end, also an untimely one, no engine of them is left. */
export async function setup(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'provisioning-test-'));
  process.env[HOMES] = folder;
  return async () => {
    for (const name of await readdir(folder)) await down(homeOf({ PROVISIONING_HOME: join(folder, name, 'home') })).catch(() => {});
    await rm(folder, { recursive: true, force: true });
  };
}
