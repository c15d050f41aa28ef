import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { execa } from 'execa';
import { describeApi } from '../../api/pages/openapi.js';
import { placeMethods } from '../../api/routes/route.js';
import { METHODS } from '../../app/methods.generated.js';
import { cacheOf } from '../../home/home.js';
import { holdLock } from '../../workers/engine/processes/lock.js';

const root = resolve(import.meta.dirname, '../..');
/** The generator, and what its output is packed and runs with. */
const PACKAGES = ['openapi-python-client==0.29.1', 'setuptools==80.9.0', 'wheel==0.45.1', 'httpx==0.28.1', 'attrs==25.4.0'];
/** Counts the ways in which the environment has been made: one of a former way is made again. */
const WAY = 1;

/**
 * Python of a virtual environment with the generator, in the user's cache. It is installed there once, from the package
 * registry of this machine's pip.
 *
 * @returns path of its `python`
 */
export async function installGenerator(env: NodeJS.ProcessEnv = process.env): Promise<string> {
  const folder = join(cacheOf(env), `python-generator-${WAY}`);
  const python = join(folder, 'bin/python');
  return holdLock(`${folder}.lock`, async () => {
    if (existsSync(join(folder, 'installed'))) return python;
    await rm(folder, { recursive: true, force: true });
    await mkdir(dirname(folder), { recursive: true });
    await execa('python3', ['-m', 'venv', folder], { timeout: 120_000 });
    await execa(python, ['-m', 'pip', 'install', '-q', '--disable-pip-version-check', ...PACKAGES], { timeout: 300_000 });
    await writeFile(join(folder, 'installed'), '');
    return python;
  });
}

/**
 * Writes the package of the Python client into a folder: what the generator makes of the OpenAPI document of this version,
 * and `client/python/calls.py`.
 *
 * @param out the folder; what is there is replaced
 * @param document the document as JSON; default: that of this version, without a server
 */
export async function generateClient(python: string, out: string, document?: string): Promise<void> {
  const place = await mkdtemp(join(tmpdir(), 'python-client-'));
  try {
    const file = join(place, 'openapi.json');
    await writeFile(file, document ?? (await describeThisVersion()));
    const config = join(root, 'client/python/generator.yaml');
    const args = ['--path', file, '--config', config, '--meta', 'setup', '--output-path', out, '--overwrite', '--fail-on-warning'];
    const ran = await execa(python, ['-m', 'openapi_python_client', 'generate', ...args], { all: true, reject: false });
    if (ran.exitCode !== 0) throw new Error(`openapi-python-client: ${ran.all}`);
    await copyFile(join(root, 'client/python/calls.py'), join(out, 'provisioning_client/calls.py'));
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

/** Makes a wheel of a generated package, in a folder. */
export async function packClient(python: string, generated: string, folder: string): Promise<void> {
  const args = ['wheel', '-q', '--disable-pip-version-check', '--no-deps', '--no-build-isolation', '-w', folder, generated];
  await execa(python, ['-m', 'pip', ...args], { timeout: 120_000 });
}

async function describeThisVersion(): Promise<string> {
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
  return JSON.stringify(describeApi(placeMethods(METHODS), version));
}
