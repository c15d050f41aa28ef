import { cp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { down } from '../../workers/engine/down.js';
import type { TestEngine } from './engine.js';

const FILE = 'temporal.db';
/** File name suffixes of the database and SQLite's additional files. */
const ENDS = ['', '-wal', '-shm', '-journal'];

/** Stops worker and server, changes the engine's files, and starts both again. */
async function whileDown(engine: TestEngine, work: (files: string[]) => Promise<unknown>): Promise<void> {
  await engine.killWorker();
  await engine.killServer();
  await down(engine.home);
  const there = await readdir(engine.home.engine);
  await work(ENDS.map((end) => `${FILE}${end}`).filter((name) => there.includes(name)));
  await engine.up();
}

const removeAll = ({ home }: TestEngine, files: string[]) => Promise.all(files.map((name) => rm(join(home.engine, name))));

/** Removes all data of Temporal. Keys and stores stay. */
export const loseEngine = (engine: TestEngine): Promise<void> => whileDown(engine, (files) => removeAll(engine, files));

/** Copies the current data of Temporal. Returns a function that restores the copy. */
export async function copyEngine(engine: TestEngine): Promise<() => Promise<void>> {
  const copies: string[] = [];
  const copyOf = (name: string) => join(engine.home.root, `copy-of-${name}`);
  await whileDown(engine, async (files) => {
    for (const name of files) await cp(join(engine.home.engine, name), copyOf(name));
    copies.push(...files);
  });
  return () =>
    whileDown(engine, async (files) => {
      await removeAll(engine, files);
      for (const name of copies) await cp(copyOf(name), join(engine.home.engine, name));
    });
}
