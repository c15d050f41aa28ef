import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cliReference } from '../scripts/cli-reference.js';

test('docs/cli.md says what the commands say: npm run cli-reference', async () => {
  expect(await readFile(join(import.meta.dirname, 'cli.md'), 'utf8')).toBe(await cliReference());
});
