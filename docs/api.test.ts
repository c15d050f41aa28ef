import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { METHODS } from '../app/methods.generated.js';
import { apiRows, apiTable } from '../scripts/commands/api-table.js';

test('docs/reference/api.md says what the methods and commands say: npm run api-table', async () => {
  expect(await readFile(join(import.meta.dirname, 'reference/api.md'), 'utf8')).toBe(apiTable());
});

test('each method has a place, a permission, a class of its records, and commands or a reason', () => {
  const rows = apiRows();
  expect(rows.map(({ method }) => method)).toEqual(Object.keys(METHODS));
  // The original has 83.
  expect(new Set(rows.map(({ rest }) => rest)).size).toBeGreaterThanOrEqual(83);
  expect(rows.filter(({ permission }) => permission.length === 0)).toEqual([]);
  expect(rows.filter(({ audit }) => audit.length === 0)).toEqual([]);
  expect(rows.filter(({ commands, why }) => commands.length === 0 && !why).map(({ method }) => method)).toEqual([]);
});
