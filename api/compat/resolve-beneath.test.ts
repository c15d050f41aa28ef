import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { resolveBeneath } from './resolve-beneath.js';

let place: string;
let root: string;
beforeAll(async () => {
  place = await realpath(await mkdtemp(join(tmpdir(), 'beneath-')));
  root = join(place, 'root');
  await mkdir(join(root, 'inside'), { recursive: true });
  await mkdir(join(place, 'root-too'));
  for (const path of [
    'root/settings.yaml',
    'root/inside/settings.toml',
    'root/program.ts',
    'secret.yaml',
    'root-too/settings.yaml',
  ])
    await writeFile(join(place, path), '');
  await symlink(join(place, 'secret.yaml'), join(root, 'link.yaml'));
  await symlink(place, join(root, 'out'));
  await symlink(join(root, 'settings.yaml'), join(root, 'inside/again.yaml'));
  await symlink(join(root, 'program.ts'), join(root, 'disguised.yaml'));
});
afterAll(() => rm(place, { recursive: true }));

test.each([
  ['a file outside', '../secret.yaml'],
  ['a file of a folder with a longer name', '../root-too/settings.yaml'],
  ['a link to a file outside', 'link.yaml'],
  ['a link to a folder outside', 'out/secret.yaml'],
  ['a path of the machine', '/etc/passwd'],
  ['a file that does not exist', 'gone.yaml'],
  ['a folder', 'inside'],
  ['a program', 'program.ts'],
  ['a link to a program', 'disguised.yaml'],
  ['a NUL', 'settings.yaml\0'],
])('%s is refused', async (_, path) => {
  await expect(resolveBeneath(root, path)).rejects.toMatchObject({ details: { code: 'outside-root' } });
});

test('files below the folder are found, also by links inside and by whole paths', async () => {
  const settings = join(root, 'settings.yaml');
  expect(await resolveBeneath(root, './settings.yaml')).toBe(settings);
  expect(await resolveBeneath(root, 'inside/again.yaml')).toBe(settings);
  expect(await resolveBeneath(root, settings)).toBe(settings);
  expect(await resolveBeneath(root, 'inside/settings.toml')).toBe(join(root, 'inside/settings.toml'));
});
