import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type AnyMethod, COMMON_ERRORS } from '../app/method.js';
import { METHODS } from '../app/methods.generated.js';
import { methodReference } from '../scripts/method-reference.js';

test('docs/reference/methods.md says what the methods say: npm run method-reference', async () => {
  expect(await readFile(join(import.meta.dirname, 'reference/methods.md'), 'utf8')).toBe(methodReference());
});

test('each code that a method names is explained in docs/operate/troubleshooting.md', async () => {
  const explained = await readFile(join(import.meta.dirname, 'operate/troubleshooting.md'), 'utf8');
  const codes = new Set([...COMMON_ERRORS, ...Object.values<AnyMethod>(METHODS).flatMap(({ errors }) => errors)]);
  expect(codes.size).toBeGreaterThan(20);
  expect([...codes].filter((code) => !explained.includes(`\`${code}\``))).toEqual([]);
});
