import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { engineKey, type Target } from '../../workers/engine/binary/engine-key.js';
import { type EngineStatement, enginePackage } from '../../workers/engine/binary/prebuilt-binary.js';
import { tarball } from './tarball.js';

export interface EngineToPack {
  /** The checkout. */
  root: string;
  target: Target;
  /** The compiled engine. */
  binary: string;
  /** The version of Go that compiled it. */
  go: string;
  /** Licenses of its modules. */
  licenses: string;
  /** Folder for the tarball. */
  out: string;
}

/** npm tarball with fields of its `package.json`. */
export interface Packed {
  file: string;
  name: string;
  version: string;
}

/**
 * Packs a compiled engine as the platform package of npm, with a record of its inputs. It has the version of this
 * project, since each release has its own engine.
 */
export async function packEngine({ root, target, binary, go, licenses, out }: EngineToPack): Promise<Packed> {
  const { version, license } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const name = enginePackage(target);
  const work = await mkdtemp(join(tmpdir(), 'pack-engine-'));
  try {
    const folder = join(work, 'package');
    await mkdir(folder);
    await copyFile(binary, join(folder, 'engine'));
    await chmod(join(folder, 'engine'), 0o755);
    const statement: EngineStatement = { key: engineKey(target), sha256: await sha256Of(binary), go };
    const manifest = {
      name,
      version,
      description: `The engine of provisioning for ${target.platform} on ${target.arch}: Temporal's server over mutual TLS, compiled.`,
      license,
      os: [target.platform],
      cpu: [target.arch],
      preferUnplugged: true,
      files: ['engine', 'engine.json', 'LICENSES'],
    };
    const files = { 'engine.json': json(statement), 'package.json': json(manifest), LICENSES: licenses };
    for (const [file, text] of Object.entries(files)) await writeFile(join(folder, file), text, { mode: 0o644 });
    const file = join(out, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`);
    await tarball(work, file);
    return { file, name, version };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

async function sha256Of(file: string): Promise<string> {
  const sum = createHash('sha256');
  await pipeline(createReadStream(file), sum);
  return sum.digest('hex');
}
