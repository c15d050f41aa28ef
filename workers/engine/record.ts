import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { EngineRecord } from '../../core/engine/engine.js';
import type { Home } from '../../home/home.js';

const recordPath = (home: Home) => join(home.engine, 'engine.json');

/** The engine last recorded; undefined after `down`, and where the file cannot be read as one. */
export const readRecord = (home: Home): Promise<EngineRecord | undefined> => readJson<EngineRecord>(recordPath(home));
export const writeRecord = (home: Home, record: EngineRecord): Promise<void> => writeJson(recordPath(home), record);
export const removeRecord = (home: Home): Promise<void> => rm(recordPath(home), { force: true });

async function readJson<T>(path: string): Promise<T | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as T;
  } catch {
    return undefined;
  }
}

/** Renamed into place, so that a reader never sees half of it. */
async function writeJson(path: string, value: unknown): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  await rename(draft, path);
}
