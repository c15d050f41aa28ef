import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { providers } from '../providers/registry.generated.js';
import { taskservs } from '../taskservs/registry.generated.js';
import { loadDefinition } from './load-definition.js';

const EXAMPLES = join(import.meta.dirname, '../examples');
/** Those in other languages are held to be one by languages.test.ts. */
const files = readdirSync(EXAMPLES, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.yaml'));

test.each(files)('examples/%s is valid, and needs nothing that is to be set first', async (path) => {
  const { definition, problems } = await loadDefinition(join(EXAMPLES, path), {
    workspace: 'default',
    registries: { providers, taskservs },
    secretNames: { has: () => false },
  });
  expect(problems).toEqual([]);
  expect(definition?.servers.length).toBeGreaterThan(0);
});
