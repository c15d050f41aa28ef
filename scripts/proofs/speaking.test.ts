import { transform } from 'esbuild';
import { expect, test } from 'vitest';
import { speaking } from './speaking.js';

/** Loads a module, uses it, and returns its reports. */
async function said(text: string, use: string): Promise<string[]> {
  const { code } = await transform(speaking('core/a.ts', text), { loader: 'ts', format: 'cjs' });
  const notes: string[] = [];
  const world = { __note: (kind: string, path: string) => void notes.push(`${kind} ${path}`) };
  new Function('globalThis', 'exports', 'module', `${code}\nconst m = module.exports;\n${use}`)(world, {}, { exports: {} });
  return notes;
}

test('a function says once that its module ran', async () =>
  expect(await said('export const a = () => 1; export function b() { return 2 }', 'm.a(); m.b(); m.a();')).toEqual([
    'ran core/a.ts',
  ]));

test('a module that is only loaded says nothing', async () => expect(await said('export const a = () => 1;', '')).toEqual([]));

test('what runs while it is loaded is told apart, and hides nothing', async () => {
  const text = 'const f = () => 1; export const table = [f()]; export const a = () => 2;';
  expect(await said(text, '')).toEqual(['load core/a.ts']);
  expect(await said(text, 'm.a();')).toEqual(['load core/a.ts', 'ran core/a.ts']);
});

test('a module that begins work runs', async () =>
  expect(await said('function main() { return 1 }\nmain();', '')).toEqual(['ran core/a.ts']));

test.each([
  'export class A extends B { constructor() { super(); this.x = 1 } x = 0 }',
  'export const a = async () => ({ x: 1 });',
  'export function* g() { yield 1 }',
  "'use strict';\nexport const o = { get x() { return 1 }, async *y() {} };",
])('stays a program: %s', async (text) => {
  await expect(transform(speaking('core/a.ts', text), { loader: 'ts', format: 'esm' })).resolves.toBeDefined();
});
