import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import type { Reporter } from '../../core/report.js';
import { buildBinary, cachedBinary } from './build-binary.js';
import { downloadBinary } from './download-binary.js';
import { type Binary, compareLines, inspectBinary, isNewEnough, lineOf, PINNED } from './version.js';

export interface FindOptions {
  env: NodeJS.ProcessEnv;
  cache: string;
  /** The line of servers that the home's state asks for (`1.31`). */
  line?: string;
  /** Builds the pinned version whatever is there. */
  rebuild?: boolean;
}

/**
 * A `temporal` binary: of PATH, of the cache, downloaded, or built. One that
 * fits the home's state goes before one that does not. Where none can fit, the
 * answer is one that does not, or undefined rather than a build in vain.
 *
 * @throws ProvisioningError with what to do where none can be had
 */
export async function findBinary({ env, cache, line, rebuild }: FindOptions, report: Reporter): Promise<Binary | undefined> {
  const say = (text: string) => report({ task: 'engine', text, state: 'running' });
  if (rebuild) return buildBinary({ cache, env, again: true }, report);

  const atHand: Binary[] = [];
  for (const path of [...onPath(env), ...inCache(cache)]) {
    const found = await inspectBinary(path);
    if (!found) continue;
    if (!isNewEnough(found)) {
      say(`passing over ${path}: its server ${found.serverVersion} is too old`);
      continue;
    }
    if (line === undefined || lineOf(found.serverVersion) === line) return found;
    atHand.push(found);
  }
  const pinnedFits = line === undefined || lineOf(PINNED.serverVersion) === line;
  const [misfit] = atHand;
  if (misfit && !pinnedFits) return misfit;

  say('downloading Temporal');
  const downloaded = await downloadBinary(cache, report);
  if ('path' in downloaded && isNewEnough(downloaded) && (line === undefined || lineOf(downloaded.serverVersion) === line)) {
    return downloaded;
  }
  if (!pinnedFits) return undefined;
  say(
    'path' in downloaded
      ? 'the download is of another version: building it'
      : `no download (${downloaded.why.slice(0, 120)}): building it`,
  );
  return buildBinary({ cache, env }, report);
}

function onPath(env: NodeJS.ProcessEnv): string[] {
  const folders = (env.PATH ?? '').split(delimiter).filter(Boolean);
  return folders.map((folder) => resolve(folder, 'temporal')).filter(existsSync);
}

/** The pinned version first, then the newest. */
function inCache(cache: string): string[] {
  const folder = join(cache, 'temporal');
  const versions = existsSync(folder) ? readdirSync(folder).filter((name) => /^\d+(\.\d+)+$/.test(name)) : [];
  const rank = (version: string) => (version === PINNED.version ? 0 : 1);
  versions.sort((a, b) => rank(a) - rank(b) || compareLines(b, a));
  return versions.map((version) => cachedBinary(cache, version)).filter(existsSync);
}
