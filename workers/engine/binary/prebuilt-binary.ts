import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { messageOf } from '../../../core/errors.js';
import type { Reporter } from '../../../core/report.js';
import { holdLock } from '../processes/lock.js';
import { locateBuiltBinary, removeUnfinished, UNFINISHED_PREFIX } from './build-binary.js';
import { engineKey, shortKey, type Target, thisMachine } from './engine-key.js';
import { packageRoot } from './package-root.js';
import { type Binary, inspectBinary } from './version.js';

/** The package of npm that has the engine of a platform. */
export const enginePackage = ({ platform, arch }: Target): string => `@provisioning/engine-${platform}-${arch}`;

/** Statement of a platform package about its binary, from `engine.json`. */
export interface EngineStatement {
  /** Key from engine-key.ts: the sources and the target of the build. */
  key: string;
  /** Hash of the binary. */
  sha256: string;
  /** The version of Go that compiled it, in Go's own words. */
  go: string;
}

export interface PrebuiltOptions {
  cache: string;
  /** The folder of this package. */
  root?: string;
}

/**
 * Copies the engine of the platform package that npm installed with this one into the cache. It is used only if it was
 * built from the sources, flags and pins of this version, and matches the statement of its package.
 *
 * @returns the binary; why the package is refused; undefined if none is installed
 */
export async function prebuiltBinary(
  { cache, root = packageRoot() }: PrebuiltOptions,
  report: Reporter,
): Promise<Binary | { why: string } | undefined> {
  const name = enginePackage(thisMachine());
  const folder = installedBeside(root, name);
  if (!folder) return undefined;
  try {
    const { key, sha256 } = statementIn(await readFile(join(folder, 'engine.json'), 'utf8'));
    if (key !== engineKey())
      return { why: `${name} has engine ${shortKey(key)}, and this version needs engine ${shortKey(engineKey())}` };
    report({ task: 'engine', text: `taking the prebuilt engine of ${name}`, state: 'running' });
    const target = locateBuiltBinary(cache);
    return await holdLock(`${target}.lock`, () => copyInto(target, join(folder, 'engine'), sha256, name));
  } catch (error) {
    return { why: `${name} cannot be read: ${messageOf(error)}` };
  }
}

/**
 * Finds a dependency of the package in `root`, where npm and similar tools install it: below it, or in the
 * `node_modules` that contains the package. Node would also search every folder above, NODE_PATH and the user's home.
 * A binary from there could be a stranger's, such as that of `/tmp/node_modules` for a clone in `/tmp`.
 */
function installedBeside(root: string, name: string): string | undefined {
  const places = [join(root, 'node_modules')];
  for (let folder = dirname(root); folder !== dirname(folder); folder = dirname(folder)) {
    if (folder.endsWith(`${sep}node_modules`)) places.push(folder);
  }
  return places.map((place) => join(place, name)).find((folder) => existsSync(join(folder, 'package.json')));
}

function statementIn(text: string): EngineStatement {
  const { key, sha256, go } = JSON.parse(text) as Partial<Record<keyof EngineStatement, unknown>>;
  const isHash = (value: unknown): value is string => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
  if (isHash(key) && isHash(sha256) && typeof go === 'string') return { key, sha256, go };
  throw new Error('engine.json does not name the key, the SHA-256 and the Go version of its engine');
}

/** Copies a binary into the cache. It gets its name there only once its hash is the expected one and it runs. */
async function copyInto(target: string, from: string, sha256: string, name: string): Promise<Binary | { why: string }> {
  const ready = await inspectBinary(target);
  if (ready) return ready;
  await removeUnfinished(dirname(target));
  const work = await mkdtemp(join(dirname(target), UNFINISHED_PREFIX));
  try {
    const copy = join(work, 'engine');
    const sum = createHash('sha256');
    const hashing = new Transform({
      transform(chunk: Buffer, _, done) {
        sum.update(chunk);
        done(null, chunk);
      },
    });
    await pipeline(createReadStream(from), hashing, createWriteStream(copy, { mode: 0o755 }));
    const found = sum.digest('hex');
    if (found !== sha256) return { why: `the engine of ${name} has SHA-256 ${found}, and its package says ${sha256}` };
    const binary = await inspectBinary(copy);
    if (!binary) return { why: `the engine of ${name} does not answer \`--version\` on this machine` };
    await rename(copy, target);
    return { ...binary, path: target };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
