import { execFile } from 'node:child_process';
import { constants, existsSync } from 'node:fs';
import { copyFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inputError, messageOf, unreachableError } from '../../../core/errors.js';
import type { Reporter } from '../../../core/report.js';
import { cacheOf, type Home } from '../../../home/home.js';
import { locateBuiltBinary } from '../binary/build-binary.js';
import { inspectBinary } from '../binary/version.js';
import { processesWith } from '../processes/listener.js';
import { holdLock } from '../processes/lock.js';
import { engineEnvironment } from '../service/environment.js';
import { describeServed, stateFile } from '../state-file.js';

/** Interval in which the copy's size is checked, in milliseconds. */
const LOOK_MS = 500;

/**
 * Copies the engine's database into a new file, in its state of one moment, while the engine may write to it.
 * Temporal's own CLI does not support that: its file is copied while it does not run.
 *
 * @returns the line of servers that created it; undefined if the home has no database
 * @throws inputError `engine-runs` if the file can be copied only while the engine is stopped
 * @throws unreachableError `engine-backup`
 */
export async function copyDatabase(home: Home, out: string, env: NodeJS.ProcessEnv, report: Reporter): Promise<string | undefined> {
  const from = stateFile(home);
  const line = await describeServed(home);
  if (line === undefined) return undefined;
  const binary = await inspectBinary(locateBuiltBinary(cacheOf(env)));
  if (binary) {
    const whole = await sizeOf(from);
    const looking = setInterval(async () => {
      const fraction = Math.min(0.99, (await sizeOf(out)) / Math.max(1, whole));
      report({ task: 'engine', text: 'copying the database', fraction, state: 'running' });
    }, LOOK_MS);
    try {
      await promisify(execFile)(binary.path, ['backup', '--from', from, '--out', out], { env: engineEnvironment(env) });
    } catch (error) {
      await rm(out, { force: true });
      throw unreachableError({ code: 'engine-backup', what: 'copy the database of the engine', on: from, why: saidBy(error) });
    } finally {
      clearInterval(looking);
    }
    return line;
  }
  // No server is started while the lock is held.
  await holdLock(join(home.engine, 'up.lock'), async () => {
    if (processesWith('--db-filename', from).length > 0) throw stillRuns(from);
    // Without its log, the file would lack the last writes. Both together cannot be read as one file.
    if (existsSync(`${from}-wal`) && (await stat(`${from}-wal`)).size > 0) throw stillRuns(from);
    await copyFile(from, out, constants.COPYFILE_EXCL);
  });
  return line;
}

const sizeOf = async (path: string): Promise<number> => (await stat(path).catch(() => undefined))?.size ?? 0;

function saidBy(error: unknown): string {
  const said = (error as { stderr?: string }).stderr?.trim().split('\n').at(-1);
  return said || messageOf(error);
}

const stillRuns = (on: string) =>
  inputError({
    code: 'engine-runs',
    what: 'copy the database of the engine',
    on,
    why: 'it is in use, or was not closed, and the engine that can copy it is not built here',
    hint: 'run `provisioning up --rebuild` (needs Go), or `provisioning down` during the backup',
  });
