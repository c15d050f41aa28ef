import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commands } from '../cli/commands.js';
import { commandCount } from '../scripts/commands/command-count.js';
import { serviceFieldsSource } from '../scripts/generate/service-fields.js';
import { settingsReference } from '../scripts/settings-reference.js';
import { modules } from '../test/support/modules.js';

test('docs/reference/settings.md says what the registry of settings says: npm run keys', async () => {
  expect(await readFile(join(import.meta.dirname, 'reference/settings.md'), 'utf8')).toBe(settingsReference());
});

test('the fields of taskservs are those of their schemas: npm run generate', async () => {
  const written = await readFile(join(import.meta.dirname, '../settings/registry/service-fields.generated.ts'), 'utf8');
  expect(written).toBe(serviceFieldsSource(Object.values(modules.taskservs)));
});

test('commands are counted by what they ask and how they show it', () => {
  const { names, aliases, pairs, byPair } = commandCount();
  expect(names).toBe(commands.length);
  const all = [...byPair.values()].flat();
  expect(all).toHaveLength(names - aliases);
  // An alias of `batch follow`, and commands with the same query and the same output, are not counted separately.
  expect(all).not.toContain('batch monitor');
  const together = (...few: string[]) => [...byPair.values()].some((one) => few.every((name) => one.includes(name)));
  expect(together('server start', 'server stop')).toBe(true);
  expect(together('workflow list', 'batch list')).toBe(false);
  expect(pairs).toBeLessThan(names - aliases);
});
