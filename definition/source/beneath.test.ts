import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writeWhole } from '../../settings/edit/write-file.js';
import { compose } from '../layers/compose.js';
import { readText } from './read-text.js';

let top: string;
beforeEach(async () => {
  top = await mkdtemp(join(tmpdir(), 'beneath-'));
  await mkdir(join(top, 'shop/inside'), { recursive: true });
  await mkdir(join(top, 'private'));
  await writeFile(join(top, 'private/canary.yaml'), 'infra: canary\n');
  await writeFile(join(top, 'shop/inside/plain.yaml'), 'infra: shop\n');
  await symlink('inside/plain.yaml', join(top, 'shop/good.yaml'));
  await symlink('../private/canary.yaml', join(top, 'shop/out.yaml'));
  await symlink('../private', join(top, 'shop/folder'));
  await symlink('inside', join(top, 'shop/own'));
});
afterEach(() => rm(top, { recursive: true }));

test('what a link leads to is read if it stays in the folder, also behind a folder that is a link', async () => {
  const within = join(top, 'shop');
  for (const path of ['good.yaml', 'own/plain.yaml', 'inside/plain.yaml'])
    expect(await readText(join(within, path), 1_000, { within })).toBe('infra: shop\n');
  for (const path of ['out.yaml', 'folder/canary.yaml'])
    expect(await readText(join(within, path), 1_000, { within })).toMatchObject({ message: expect.stringContaining('outside') });
});

test('no part of a definition is read outside of its workspace: the file, what it includes, an environment', async () => {
  const outside = [expect.objectContaining({ message: expect.stringContaining('outside of') })];
  await writeFile(join(top, 'shop/provisioning.yaml'), 'name: shop\n');
  expect(await compose(join(top, 'shop/good.yaml'))).toMatchObject({ source: { value: { infra: 'shop' } } });
  expect(await compose(join(top, 'shop/out.yaml'))).toEqual(outside);
  expect(await compose(join(top, 'shop/folder/canary.yaml'))).toEqual(outside);
  await writeFile(join(top, 'shop/with.yaml'), 'include: [folder/canary.yaml]\n');
  expect(await compose(join(top, 'shop/with.yaml'))).toEqual(outside);
  await symlink('../private/canary.yaml', join(top, 'shop/with.prod.yaml'));
  await writeFile(join(top, 'shop/with.yaml'), 'infra: shop\n');
  expect(await compose(join(top, 'shop/with.yaml'), 'prod')).toEqual(outside);
});

test('no file is written through a link, unless it is one of the user', async () => {
  await expect(writeWhole(join(top, 'shop/out.yaml'), 'x', 0o644)).rejects.toMatchObject({ details: { code: 'file-is-a-link' } });
  expect(await readFile(join(top, 'private/canary.yaml'), 'utf8')).toBe('infra: canary\n');
  await writeWhole(join(top, 'shop/good.yaml'), 'infra: mine\n', 0o644, { links: true });
  expect(await readFile(join(top, 'shop/inside/plain.yaml'), 'utf8')).toBe('infra: mine\n');
});
