import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readFile, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { beforeEach, expect, test } from 'vitest';
import { engineKey } from '../../workers/engine/binary/engine-key.js';
import { packEngine } from './pack-engine.js';

const root = resolve(import.meta.dirname, '../..');
const TARGET = { platform: 'linux', arch: 'arm64' };

let place: string;
beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), 'pack-'));
});

/** Packs an engine from a separate folder, with another time and mode. */
async function packIn(name: string, modified: number, mode: number) {
  const folder = join(place, name);
  await mkdir(folder);
  const binary = join(folder, 'engine');
  await writeFile(binary, 'compiled');
  await chmod(binary, mode);
  await utimes(binary, modified, modified);
  return packEngine({ root, target: TARGET, binary, go: 'go1.26.4', licenses: 'MIT\n', out: join(folder, 'out') });
}

test('the same engine makes the same bytes, in any folder and at any time', async () => {
  const [one, two] = [await packIn('one', 1, 0o700), await packIn('two', 1e9, 0o755)];
  expect((await readFile(one.file)).equals(await readFile(two.file))).toBe(true);
});

test('the package says what it is for, and what its engine was built from', async () => {
  const { file, name, version } = await packIn('one', 1, 0o700);
  await execa('tar', ['-xzf', file, '-C', place]);
  const read = async (path: string) => JSON.parse(await readFile(join(place, 'package', path), 'utf8'));
  expect(await read('package.json')).toMatchObject({ name, version, os: ['linux'], cpu: ['arm64'] });
  expect(name).toBe('@provisioning/engine-linux-arm64');
  expect(version).toBe(JSON.parse(await readFile(join(root, 'package.json'), 'utf8')).version);
  const sha256 = createHash('sha256').update('compiled').digest('hex');
  expect(await read('engine.json')).toEqual({ key: engineKey(TARGET), sha256, go: 'go1.26.4' });
  const { stdout } = await execa('tar', ['-tvzf', file, '--numeric-owner'], { env: { TZ: 'UTC' } });
  expect(stdout).toMatch(/^-rwxr-xr-x 0\/0 +8 1985-10-26 \S+ package\/engine$/m);
});
