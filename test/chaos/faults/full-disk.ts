import { mkdir, mkdtemp, open, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { isAlive } from '../../../workers/engine/processes/process.js';
import { readRecord } from '../../../workers/engine/record.js';
import { startTestEngine, type TestEngine } from '../../support/engine.js';
import type { Fault } from '../fault.js';
import { judgeWell, prepare, SLOW, WORK_MS } from './demo-work.js';

/** Enough for an engine and some rounds, and quickly filled. */
const SIZE = '256m';
/** Longer than any retry of a write. Milliseconds. */
const FULL_MS = 12_000;
const CHUNK = Buffer.alloc(1 << 20);

/**
 * Starts an engine with its home on a separate disk. The provider is no part of the platform, so its state is
 * elsewhere.
 */
async function onSmallDisk(): Promise<TestEngine> {
  const disk = await mkdtemp(join(tmpdir(), 'disk-'));
  const cloud = await mkdtemp(join(tmpdir(), 'cloud-'));
  await execa('mount', ['-t', 'tmpfs', '-o', `size=${SIZE}`, 'tmpfs', disk]);
  const remove = async () => {
    // A process that has just ended may still use the disk.
    for (let tries = 20; (await execa('umount', [disk], { reject: false })).failed && tries > 0; tries--) await sleep(500);
    for (const folder of [disk, cloud]) await rm(folder, { recursive: true });
  };
  const before: NonNullable<Parameters<typeof startTestEngine>[1]>['before'] = async (home) => {
    await mkdir(home.root, { recursive: true, mode: 0o700 });
    await symlink(cloud, home.demo);
  };
  const engine = await startTestEngine({}, { parent: disk, before }).catch(async (error: unknown) => {
    await remove();
    throw error;
  });
  const { stop } = engine;
  return Object.assign(engine, { stop: () => stop().finally(remove) });
}

/** Fills the disk until no process can write. Returns a function that frees the space. */
async function fill(folder: string): Promise<() => Promise<void>> {
  const path = join(folder, 'ballast');
  const file = await open(path, 'w');
  try {
    for (let chunk = CHUNK; chunk.length > 0; ) {
      const { bytesWritten } = await file.write(chunk).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOSPC') throw error;
        return { bytesWritten: 0 };
      });
      // Write smaller and smaller chunks, down to the last byte.
      if (bytesWritten < chunk.length) chunk = chunk.subarray(0, Math.floor(chunk.length / 2));
    }
  } finally {
    await file.close();
  }
  return () => rm(path);
}

/** Returns the process id of the engine's worker. Undefined if the worker does not run. */
async function workerOf({ home }: TestEngine): Promise<number | undefined> {
  const worker = (await readRecord(home))?.worker;
  return worker && isAlive(worker) ? worker.pid : undefined;
}

export const fullDisk: Fault[] = [
  {
    name: 'disk-full',
    about: `the disk of the home has no byte left for ${FULL_MS / 1_000} s: engine, stores and logs`,
    on: 'demo',
    engine: onSmallDisk,
    whyNot: () => (process.getuid?.() === 0 ? undefined : 'a disk of its own needs root'),
    async round(stage) {
      const work = await prepare(stage);
      await stage.account.behave({ latencyMs: SLOW });
      await stage.submit(work.wish);
      await stage.later(WORK_MS);
      const before = await workerOf(stage.engine);
      const empty = await fill(dirname(stage.engine.home.root));
      stage.strike();
      try {
        await sleep(FULL_MS);
      } finally {
        await empty();
      }
      stage.demand((await workerOf(stage.engine)) === before, 'the worker ended');
      await stage.restart();
      await judgeWell(stage, work);
    },
  },
];
