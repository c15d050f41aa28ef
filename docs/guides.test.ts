import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { create } from '../scripts/new/main.js';
import { edited, follow, instructionsIn, isNewFile } from '../test/guides/follow.js';
import { brokenImports, importsIn, missing } from '../test/guides/imports.js';

const here = resolve(import.meta.dirname, '..');
/** Pages that readers follow. */
const guides = ['start', 'use', 'operate', 'extend', 'contribute'].flatMap((folder) =>
  readdirSync(join(here, 'docs', folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(here, 'docs', folder, name)),
);
const root = mkdtempSync(join(tmpdir(), 'provisioning-guides-'));
afterAll(() => rmSync(root, { recursive: true }));

/** Links what is here and not there, so that what is made there finds it by the same path. */
function linkMissing(folder: string): void {
  const there = new Set(readdirSync(join(root, folder)));
  for (const entry of readdirSync(join(here, folder)))
    if (!there.has(entry)) symlinkSync(join(here, folder, entry), join(root, folder, entry));
}

/** Finds faults that otherwise only the long test of test/guides finds: the compiler does not read templates. */
it('fills in templates and types the edits of guides that import what is there', async () => {
  const made = [...(await create(root, 'taskserv', 'beanstalkd')), ...(await create(root, 'provider', 'acme'))];
  for (const folder of ['test/clouds', 'test/contracts', 'test', 'providers', 'taskservs', '.']) linkMissing(folder);
  expect(
    brokenImports(
      root,
      made.filter((path) => path.endsWith('.ts')),
    ),
  ).toEqual([]);

  const edits = instructionsIn(guide('add-a-provider.md')).filter((one) => one.kind === 'edit');
  expect(edits.length).toBeGreaterThan(5);
  // All else below the root is a link to the source itself.
  expect(edits.filter(({ path }) => !path.includes('acme'))).toEqual([]);
  for (const edit of edits) await follow(edit, root);
  const typed = edits.map(({ path }) => join(root, path));
  expect(
    brokenImports(
      root,
      [...new Set([...made, ...typed])].filter((path) => path.endsWith('.ts')),
    ),
  ).toEqual([]);
});

it('has edits that fit the sources, one after the other', () => {
  const texts = new Map<string, string>();
  const edits = guides.flatMap((path) => instructionsIn(readFileSync(path, 'utf8')).filter((one) => one.kind === 'edit'));
  // Files that a template creates do not exist here.
  const ofSources = edits.filter(({ path, hunks }) => !isNewFile(hunks) && existsSync(join(here, path)));
  expect(ofSources.length).toBeGreaterThan(7);
  for (const { path, hunks } of ofSources)
    texts.set(path, edited(path, texts.get(path) ?? readFileSync(join(here, path), 'utf8'), hunks));
});

it('shows code that imports what the package exports', () => {
  const imports = guides
    .flatMap((path) => [...readFileSync(path, 'utf8').matchAll(/^```ts\n(.*?)^```$/gms)])
    .flatMap(([, code = '']) => importsIn(code))
    .filter(({ from }) => from === 'provisioning');
  expect(imports.length).toBeGreaterThan(0);
  for (const { names } of imports) expect(missing(join(here, 'authoring/index.js'), names)).toEqual([]);
});

function guide(name: string): string {
  return readFileSync(join(here, 'docs/extend', name), 'utf8');
}
