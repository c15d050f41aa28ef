import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../core/errors.js';
import type { Reporter } from '../../core/report.js';
import { cachedBinary } from './build-binary.js';
import { type Binary, inspectBinary } from './version.js';

/** Nothing arrives for this long: there is no way out to the download, and building is the better use of the time. */
const STALLED_MS = 10_000;
const POLL_MS = 250;

/**
 * The SDK's own download of the CLI, put into the cache.
 *
 * @returns the binary, or why there is none: being offline is no error, since it can be built
 */
export async function downloadBinary(cache: string, report: Reporter): Promise<Binary | { why: string }> {
  await mkdir(join(cache, 'temporal'), { recursive: true });
  const folder = await mkdtemp(join(cache, 'temporal', 'download-'));
  try {
    const attempt = startOnce(folder).then(
      () => undefined,
      (error: unknown) => messageOf(error),
    );
    const why = await Promise.race([attempt, stalled(folder, attempt, report)]);
    if (why !== undefined) return { why };
    for (const name of await readdir(folder)) {
      const found = await inspectBinary(join(folder, name));
      if (!found) continue;
      const path = cachedBinary(cache, found.version);
      await mkdir(dirname(path), { recursive: true });
      await rename(found.path, path);
      return { ...found, path };
    }
    return { why: 'what was downloaded is no Temporal CLI' };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The SDK downloads only what it starts: a server in memory, ended at once. */
async function startOnce(folder: string): Promise<void> {
  const { TestWorkflowEnvironment } = await import('@temporalio/testing');
  const executable = { type: 'cached-download', downloadDir: folder } as const;
  const environment = await TestWorkflowEnvironment.createLocal({ server: { executable } });
  await environment.teardown();
}

/** Answers when the folder has not grown for a while. */
async function stalled(folder: string, attempt: Promise<unknown>, report: Reporter): Promise<string> {
  let over = false;
  void attempt.finally(() => {
    over = true;
  });
  for (let size = 0, since = Date.now(); Date.now() - since < STALLED_MS && !over; await sleep(POLL_MS)) {
    const now = await sizeOf(folder);
    if (now === size) continue;
    [size, since] = [now, Date.now()];
    report({ task: 'engine', text: `downloading Temporal: ${Math.round(size / 1e6)} MB`, state: 'running' });
  }
  return over ? 'it ended' : `nothing arrived for ${STALLED_MS / 1000} s`;
}

async function sizeOf(folder: string): Promise<number> {
  const names = await readdir(folder).catch(() => []);
  const sizes = await Promise.all(
    names.map((name) =>
      stat(join(folder, name))
        .then(({ size }) => size)
        .catch(() => 0),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
