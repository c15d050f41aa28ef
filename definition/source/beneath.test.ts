import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readSopsBytes } from '../../authoring/sops/sops-files.js';
import { topologiesFor } from '../../authoring/test-environments/topology.js';
import { runInTurn } from '../../settings/edit/in-turn.js';
import { writeWhole } from '../../settings/edit/write-file.js';
import { loadLayer } from '../../settings/layers/read-file.js';
import { REGISTRY } from '../../settings/registry/keys.js';
import { compose } from '../layers/compose.js';
import { readTemplate } from '../templates/read-template.js';
import { templateFiles } from '../templates/template-files.js';
import { readText } from './read-text.js';
import { readWorkspaceFile } from './workspace-file.js';

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
    expect(await readText(join(within, path), 1_000, { within })).toMatchObject({
      message: expect.stringMatching(/outside|leads out/),
    });
});

test('no part of a definition is read outside of its workspace: the file, what it includes, an environment', async () => {
  const outside = [expect.objectContaining({ message: expect.stringMatching(/outside of|leads out/) })];
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

test('no file is written through a folder that is a link to outside, and the lock of a file does not lie there either', async () => {
  const within = join(top, 'shop');
  const refused = { details: { code: 'file-is-a-link', why: expect.stringContaining('a link to outside') } };
  await expect(writeWhole(join(within, 'folder/canary.yaml'), 'x', 0o644, { within })).rejects.toMatchObject(refused);
  await expect(writeWhole(join(within, 'folder/new/a.yaml'), 'x', 0o644, { within })).rejects.toMatchObject(refused);
  await expect(runInTurn(join(within, 'folder/a.yaml'), async () => 'done', { within })).rejects.toMatchObject(refused);
  expect(await readdir(join(top, 'private'))).toEqual(['canary.yaml']);
  await symlink('nowhere', join(within, 'dangling'));
  await expect(writeWhole(join(within, 'dangling/a.yaml'), 'x', 0o644, { within })).rejects.toMatchObject({
    details: { code: 'file-is-a-link' },
  });
  // Links and new folders that stay inside are the user's.
  await writeWhole(join(within, 'own/new/b.yaml'), 'mine\n', 0o644, { within });
  expect(await readFile(join(within, 'inside/new/b.yaml'), 'utf8')).toBe('mine\n');
  expect(await runInTurn(join(within, 'own/b.yaml'), async () => 'done', { within })).toBe('done');
});

test('a template, a setting, a SOPS file and a workspace file are not read behind a folder or a link that leads out', async () => {
  const within = join(top, 'shop');
  await mkdir(join(top, 'private/t'));
  await writeFile(join(top, 'private/t/cluster.yaml'), 'description: canary\n');
  await symlink('../private', join(within, 'clusters'));
  await symlink('../private', join(within, 'topologies'));
  await symlink('../private/canary.yaml', join(within, 'provisioning.yaml'));
  expect((await templateFiles(within)).filter(({ builtIn }) => !builtIn)).toEqual([]);
  expect((await topologiesFor({ folder: within })).filter(({ builtIn }) => !builtIn)).toEqual([]);
  const outside = expect.stringMatching(/outside of|leads out/);
  expect(await readTemplate({ file: join(within, 'clusters/t/cluster.yaml'), within })).toMatchObject([{ message: outside }]);
  expect(await readWorkspaceFile(join(within, 'provisioning.yaml'))).toMatchObject({ problems: [{ message: outside }] });
  await expect(readSopsBytes(join(within, 'folder/canary.yaml'), within)).rejects.toMatchObject({ details: { why: outside } });
  const keys = { env: {}, own: join(top, 'keys') };
  const layer = { layer: 'infra', candidates: [join(within, 'folder/canary.yaml')], folder: within, keys } as const;
  expect(await loadLayer(layer, REGISTRY)).toMatchObject({ problems: [{ message: outside }] });
});

test('no file is written through a link, unless it is one of the user', async () => {
  await expect(writeWhole(join(top, 'shop/out.yaml'), 'x', 0o644)).rejects.toMatchObject({ details: { code: 'file-is-a-link' } });
  expect(await readFile(join(top, 'private/canary.yaml'), 'utf8')).toBe('infra: canary\n');
  await writeWhole(join(top, 'shop/good.yaml'), 'infra: mine\n', 0o644, { links: true });
  expect(await readFile(join(top, 'shop/inside/plain.yaml'), 'utf8')).toBe('infra: mine\n');
});
