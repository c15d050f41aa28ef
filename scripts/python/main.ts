/**
 * Packs the Python client of the API as a wheel (docs/use/from-python.md). It needs python3 with venv, and the package registry
 * of pip at its first run.
 *
 *   npm run pack:python [-- --out FOLDER]    # default: packages
 */
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { messageOf } from '../../core/errors.js';
import { generateClient, installGenerator, packClient } from './generate-client.js';

const { values } = parseArgs({ options: { out: { type: 'string', default: 'packages' } } });
const work = await mkdtemp(join(tmpdir(), 'pack-python-'));
try {
  const out = resolve(values.out);
  await mkdir(out, { recursive: true });
  const python = await installGenerator();
  await generateClient(python, join(work, 'client'));
  await packClient(python, join(work, 'client'), out);
  for (const name of await readdir(out))
    if (/^provisioning_client-.*\.whl$/.test(name)) process.stdout.write(`${join(out, name)}\n`);
} catch (error) {
  console.error(messageOf(error));
  process.exitCode = 1;
} finally {
  await rm(work, { recursive: true, force: true });
}
