import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { methodReference } from '../scripts/method-reference.js';

test('docs/methods.md says what the methods say: npm run method-reference', async () => {
  expect(await readFile(join(import.meta.dirname, 'methods.md'), 'utf8')).toBe(methodReference());
});
