import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { inputError, messageOf, unreachableError } from '../../../core/errors.js';
import type { Reporter } from '../../../core/report.js';
import { buildBinary, findGo, locateBuiltBinary, locateCachedBinary, lookForGo } from './build-binary.js';
import { downloadBinary } from './download-binary.js';
import { prebuiltBinary } from './prebuilt-binary.js';
import { type Binary, compareLines, inspectBinary, isNewEnough, lineOf, PINNED_VERSIONS } from './version.js';

export interface FindOptions {
  env: NodeJS.ProcessEnv;
  cache: string;
  /** The line of servers that the home's state requires (`1.31`). */
  line?: string;
  /** Builds the pinned version even if a binary exists. */
  rebuild?: boolean;
  /** The folder of this package, for packages that npm installed with it. */
  root?: string;
}

/**
 * Finds a binary that runs the engine. The engine that is built from this project's sources comes first, since only it
 * serves over mutual TLS. It comes from the cache, prebuilt from the platform package, or is built if Go is installed.
 * Otherwise a `temporal` of PATH or of the cache is used, or a download with the hash that the operator names. `PROVISIONING_ENGINE=path`
 * prefers a `temporal`, `built` allows none. If the home's state fits no binary, the result is one that does not fit,
 * or undefined instead of a useless build.
 *
 * @throws ProvisioningError with instructions if no binary is available
 */
export async function findBinary(options: FindOptions, report: Reporter): Promise<Binary | undefined> {
  const { env, cache, line, rebuild } = options;
  const say = (text: string) => report({ task: 'engine', text, state: 'running' });
  const preferred = preferenceIn(env);
  if (rebuild) return buildBinary({ cache, env, again: true }, report);
  const pinnedFits = line === undefined || lineOf(PINNED_VERSIONS.serverVersion) === line;
  const others = preferred === 'built' ? { fits: undefined, misfit: undefined } : await plainBinary(options, say);

  let failure: unknown;
  let refused: string | undefined;
  if (preferred === 'path' && others.fits) return others.fits;
  if (pinnedFits) {
    const built = await inspectBinary(locateBuiltBinary(cache));
    if (built) return built;
    const prebuilt = await prebuiltBinary({ cache, root: options.root }, report);
    if (prebuilt && 'path' in prebuilt) return prebuilt;
    if (prebuilt) {
      refused = `the prebuilt engine is not used: ${prebuilt.why}`;
      // A separate line, which stays: the build takes minutes, and its lines replace the engine's line.
      report({ task: 'prebuilt engine', text: `not used: ${prebuilt.why}`, state: 'skipped' });
    }
    if (preferred === 'built' || lookForGo(env)) {
      try {
        return await buildBinary({ cache, env, besides: refused }, report);
      } catch (error) {
        if (!others.fits) throw error;
        failure = error;
      }
    }
  }
  if (others.fits) {
    const why = failure ? `the engine cannot be built (${messageOf(failure).slice(0, 160)})` : undefined;
    say(`${why ? `${why}: ` : ''}using ${others.fits.path}, which cannot do mutual TLS`);
    return others.fits;
  }
  if (!pinnedFits) return others.misfit;
  const downloaded = await downloadBinary({ cache, env }, report);
  if ('path' in downloaded) return downloaded;
  say(`no download (${downloaded.why.slice(0, 120)})`);
  // Go is missing: the error has instructions.
  findGo(env, undefined, refused);
  throw unreachableError({ code: 'engine-build', what: 'find the engine', why: downloaded.why });
}

type Preference = 'built' | 'path' | undefined;

function preferenceIn({ PROVISIONING_ENGINE: given }: NodeJS.ProcessEnv): Preference {
  if (!given) return undefined;
  if (given === 'built' || given === 'path') return given;
  throw inputError({
    code: 'bad-engine',
    what: 'read the configuration',
    on: 'PROVISIONING_ENGINE',
    why: `"${given}" is not a valid value`,
    hint: 'set "built" for only the engine with mutual TLS, or "path" to prefer a "temporal" on PATH; the default prefers the engine with mutual TLS',
  });
}

/** Finds Temporal's own CLI in PATH or in the cache: the first that fits the state, and one that does not. */
async function plainBinary({ env, cache, line }: FindOptions, say: (text: string) => void) {
  let misfit: Binary | undefined;
  for (const path of [...onPath(env), ...inCache(cache)]) {
    const found = await inspectBinary(path);
    if (!found || found.mutualTls) continue;
    if (!isNewEnough(found)) say(`passing over ${path}: its server ${found.serverVersion} is too old`);
    else if (line === undefined || lineOf(found.serverVersion) === line) return { fits: found, misfit };
    else misfit ??= found;
  }
  return { fits: undefined, misfit };
}

function onPath(env: NodeJS.ProcessEnv): string[] {
  const folders = (env.PATH ?? '').split(delimiter).filter(Boolean);
  return folders.map((folder) => resolve(folder, 'temporal')).filter(existsSync);
}

/** The pinned version first, then the newest. */
function inCache(cache: string): string[] {
  const folder = join(cache, 'temporal');
  const versions = existsSync(folder) ? readdirSync(folder).filter((name) => /^\d+(\.\d+)+$/.test(name)) : [];
  const rank = (version: string) => (version === PINNED_VERSIONS.version ? 0 : 1);
  versions.sort((a, b) => rank(a) - rank(b) || compareLines(b, a));
  return versions.map((version) => locateCachedBinary(cache, version)).filter(existsSync);
}
