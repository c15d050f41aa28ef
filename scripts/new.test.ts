import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import type { AnyTaskserv } from '../core/taskserv.js';
import { type Case, stepsOf } from '../taskservs/case.js';
import { generate, registrySource } from './generate-registry.js';
import { create } from './new.js';

const root = mkdtempSync(join(tmpdir(), 'provisioning-new-'));
for (const shared of ['core', 'node_modules']) symlinkSync(join(import.meta.dirname, '..', shared), join(root, shared));
afterAll(() => rmSync(root, { recursive: true }));

it('makes a taskserv that decides as its cases say', async () => {
  const files = create(root, 'taskserv', 'my-cache');
  const [definition] = files.filter((path) => path.endsWith('my-cache.ts'));
  const { myCache } = (await import(definition as string)) as { myCache: AnyTaskserv };
  expect(myCache.name).toBe('my-cache');
  const cases = files.filter((path) => path.includes('/cases/')).map((path) => JSON.parse(readFileSync(path, 'utf8')) as Case);
  expect(cases.length).toBeGreaterThanOrEqual(4);
  for (const given of cases) expect(stepsOf(myCache, given)).toEqual(given.steps);
});

it.each([
  ['service', 'x', 'unknown-kind'],
  [undefined, undefined, 'unknown-kind'],
  ['taskserv', undefined, 'no-name'],
  ['taskserv', 'My_Cache', 'bad-name'],
  ['taskserv', '../escape', 'bad-name'],
  ['taskserv', 'import', 'bad-name'],
  ['taskserv', 'systemd', 'bad-name'],
  ['taskserv', 'twice', 'exists'],
])('refuses %s %s: %s', (kind, name, code) => {
  if (code === 'exists') create(root, kind, name);
  expect(() => create(root, kind, name)).toThrowError(expect.objectContaining({ details: expect.objectContaining({ code }) }));
});

it('registers every folder that has a definition, under its name', () => {
  mkdirSync(join(root, 'taskservs', 'empty'), { recursive: true });
  create(root, 'taskserv', 'plain');
  generate(root);
  const source = readFileSync(join(root, 'taskservs', 'registry.generated.ts'), 'utf8');
  expect(source).toContain("import { plain } from './plain/plain.js';");
  expect(source).not.toContain('empty');
});

it('quotes names that are no variables', () => {
  const source = registrySource({ room: 'taskservs', type: 'T', from: 'x' }, ['redis', 'node-exporter']);
  expect(source).toContain("  'node-exporter': nodeExporter,\n  redis,\n");
});
