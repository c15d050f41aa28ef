import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { build } from 'esbuild';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { buildInputs, FOLDERS, generateOnce, isBuilt, isGenerated, stampOf } from './build-inputs.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'provisioning-build-inputs-'));
  for (const folder of FOLDERS) write(`${folder}/one.ts`, folder);
  write('taskservs/nats/versions.json', '{}');
  write('workers/engine/temporal/main.go', 'package main');
  write('package.json', '{}');
  write('dist/build-id', 'abc');
  writeFileSync(stampOf(root), buildInputs(root));
});
afterEach(() => rmSync(root, { recursive: true }));

function write(path: string, text: string): void {
  mkdirSync(join(root, dirname(path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

test('what was built a moment ago is built, whatever tests and pages say since', () => {
  expect(isBuilt(root)).toBe(true);
  for (const path of ['core/one.test.ts', 'taskservs/nats/README.md', 'taskservs/nats/cases/install.json']) write(path, 'new');
  expect(isBuilt(root)).toBe(true);
});

test.each([
  ...FOLDERS.map((folder) => `${folder}/one.ts`),
  ...['core/inside/new.ts', 'taskservs/registry.generated.ts', 'taskservs/nats/versions.json', 'taskservs/new/versions.json'],
  ...['workers/engine/temporal/main.go', 'package.json', 'package-lock.json', 'tsconfig.json'],
])('a change of %s asks for a build', (path) => {
  write(path, 'changed');
  expect(isBuilt(root)).toBe(false);
});

test.each(['core/one.ts', 'dist/build-id', 'dist/build.inputs'])('without %s it is not built', (path) => {
  rmSync(join(root, path));
  expect(isBuilt(root)).toBe(false);
});

test('what was generated is generated again after a change of a source, or of what was written', async () => {
  expect(isGenerated(root)).toBe(false);
  const generate = async () => write('app/methods.generated.ts', 'new');
  await generateOnce(root, generate);
  expect(isGenerated(root)).toBe(true);
  for (const path of ['app/one.ts', 'app/methods.generated.ts', 'package-lock.json']) {
    write(path, 'changed');
    expect(isGenerated(root)).toBe(false);
    await generateOnce(root, generate);
    expect(isGenerated(root)).toBe(true);
  }
  rmSync(join(root, 'app/methods.generated.ts'));
  expect(isGenerated(root)).toBe(false);
});

test('a source that changed while files were generated may not be in them', async () => {
  await generateOnce(root, async () => write('app/one.ts', 'later'));
  expect(isGenerated(root)).toBe(false);
});

test('all that the programs are made of lies in folders that count', async () => {
  const here = resolve(import.meta.dirname, '..');
  const entryPoints = ['cli/main.ts', 'workers/worker.ts', 'workers/engine/main.ts', 'workflows/index.ts', 'authoring/index.ts'];
  const options = { bundle: true, packages: 'external', platform: 'node', format: 'esm', write: false, outdir: 'out' } as const;
  const { metafile } = await build({ ...options, absWorkingDir: here, entryPoints, metafile: true, splitting: true });
  const read = Object.keys(metafile.inputs).map((path) => relative(here, resolve(here, path)));
  expect(read.length).toBeGreaterThan(1000);
  expect(read.filter((path) => !FOLDERS.some((folder) => path.startsWith(`${folder}/`)))).toEqual([]);
});
