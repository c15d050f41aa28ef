import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cliReference } from '../scripts/cli-reference.js';

test('docs/reference/cli.md says what the commands say: npm run cli-reference', async () => {
  expect(await readFile(join(import.meta.dirname, 'reference/cli.md'), 'utf8')).toBe(await cliReference());
});
