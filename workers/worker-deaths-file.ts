import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { NO_DEATHS, type WorkerDeaths } from '../core/engine/worker-deaths.js';
import type { Home } from '../home/home.js';

const pathOf = (home: Home) => join(home.engine, 'worker-deaths.json');

/** Reads the causes of death of a home's workers; empty if the file is not valid. */
export function readDeaths(home: Home): WorkerDeaths {
  try {
    const { suspects, setAside } = JSON.parse(readFileSync(pathOf(home), 'utf8')) as WorkerDeaths;
    return Array.isArray(suspects) && Array.isArray(setAside) ? { suspects, setAside } : NO_DEATHS;
  } catch {
    return NO_DEATHS;
  }
}

/** Synced, and renamed into place: the worker may die again in a moment. */
export function writeDeaths(home: Home, deaths: WorkerDeaths): void {
  const draft = `${pathOf(home)}.${process.pid}`;
  const file = openSync(draft, 'w', 0o600);
  try {
    writeSync(file, `${JSON.stringify(deaths, null, 2)}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(draft, pathOf(home));
}
