import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { writtenCodes } from '../test/support/error-codes.js';
import { sourceModules } from '../test/support/source-modules.js';

const here = resolve(import.meta.dirname, '..');
const read = (path: string) => readFile(resolve(here, path), 'utf8');

test('each code of an error has a line in docs/operate/troubleshooting.md', async () => {
  const page = await read('docs/operate/troubleshooting.md');
  const explained = new Set([...page.matchAll(/`([a-z][a-z0-9-]+)`/g)].map(([, code]) => code));
  const codes = writtenCodes(await sourceModules());
  expect(codes.length).toBeGreaterThan(150);
  expect(codes.filter(({ code }) => !explained.has(code))).toEqual([]);
});
