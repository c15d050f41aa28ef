import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { EngineRecord } from '../../core/engine/engine.js';
import type { Home } from '../../home/home.js';
import type { Ports } from './processes/ports.js';

/** What a home keeps for good: its id, from which its task queue comes, and the ports once chosen. */
export interface Identity {
  id: string;
  ports?: Ports;
}

const recordPath = (home: Home) => join(home.engine, 'engine.json');
const identityPath = (home: Home) => join(home.engine, 'identity.json');

/** The engine last recorded; undefined after `down`, and where the file cannot be read as one. */
export const readRecord = (home: Home): Promise<EngineRecord | undefined> => readJson<EngineRecord>(recordPath(home));
export const writeRecord = (home: Home, record: EngineRecord): Promise<void> => writeJson(recordPath(home), record);
export const removeRecord = (home: Home): Promise<void> => rm(recordPath(home), { force: true });

/** The home's identity, made at first use. */
export async function identityOf(home: Home): Promise<Identity> {
  const known = await readJson<Identity>(identityPath(home));
  if (known?.id) return known;
  const made: Identity = { id: randomBytes(4).toString('hex') };
  await writeJson(identityPath(home), made);
  return made;
}

export const rememberPorts = async (home: Home, ports: Ports): Promise<void> =>
  writeJson(identityPath(home), { ...(await identityOf(home)), ports });

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
