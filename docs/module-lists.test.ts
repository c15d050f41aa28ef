import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { pagesWithLists, updateLists } from '../scripts/module-lists.js';
import { taskservs } from '../taskservs/registry.generated.js';

const pages = await pagesWithLists(join(import.meta.dirname, '..'));

const root = mkdtempSync(join(tmpdir(), 'provisioning-lists-'));
afterAll(() => rmSync(root, { recursive: true }));

test('some pages have lists', () => expect(pages.map(({ page }) => page)).toContain('README.md'));

test.each(pages)('$page lists the modules that there are: npm run module-lists', ({ was, wanted }) => expect(was).toBe(wanted));

test('the README of each taskserv whose version depends on the release names all of its versions', () => {
  const dependent = Object.values(taskservs).filter(({ versions }) => versions.releases);
  expect(dependent.length).toBeGreaterThan(50);
  for (const { name, versions } of dependent) {
    const [, list = ''] =
      /<!-- versions -->(.*)<!-- \/versions -->/.exec(
        pages.find(({ page }) => page === `taskservs/${name}/README.md`)?.was ?? '',
      ) ?? [];
    for (const version of versions.supported) expect(list.split(/[ ,]+/), name).toContain(version);
  }
});

test('versions are grouped by release, and a README without marks is reported', async () => {
  const releases = { 'debian-12': '2.6', 'debian-13': '2.6', 'ubuntu-24.04': '2.7', 'ubuntu-26.04': null };
  const write = (path: string, text: string) => {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  write(
    'taskservs/registry.generated.ts',
    `export const taskservs = ${JSON.stringify({ web: { name: 'web', versions: { releases } } })};`,
  );
  write('providers/registry.generated.ts', 'export const providers = {};');
  write('taskservs/web/README.md', 'It is 2.6.');
  await expect(pagesWithLists(root)).rejects.toThrow('taskservs/web/README.md has no <!-- versions -->');
  write('taskservs/web/README.md', 'It is <!-- versions -->1.0<!-- /versions -->.');
  expect(await updateLists(root)).toEqual(['taskservs/web/README.md']);
  const [page] = await pagesWithLists(root);
  expect(page?.was).toContain('-->2.6 on Debian 12 and 13, 2.7 on Ubuntu 24.04, none on Ubuntu 26.04<!--');
});
