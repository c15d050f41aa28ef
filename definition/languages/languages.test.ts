import { join } from 'node:path';
import { expect, test } from 'vitest';
import { providers } from '../../providers/registry.generated.js';
import { taskservs } from '../../taskservs/registry.generated.js';
import { findKcl, findNickel } from '../../test/support/languages.js';
import { loadDefinition } from '../load-definition.js';

const examples = join(import.meta.dirname, '../../examples/languages');
const SLOW = { timeout: 600_000 };

async function definitionOf(name: string, folders?: string[]) {
  const options = { folders, workspace: 'default', registries: { providers, taskservs }, secretNames: new Set<string>() };
  const { definition, problems } = await loadDefinition(join(examples, name), options);
  expect(problems).toEqual([]);
  expect(definition?.servers).toHaveLength(3);
  return JSON.stringify(definition);
}

test.each(['toml', 'json', 'ts'])('one infra in YAML and in .%s is the same definition, byte for byte', SLOW, async (ending) => {
  expect(await definitionOf(`shop.${ending}`)).toBe(await definitionOf('shop.yaml'));
});

test.each([
  ['k', findKcl],
  ['ncl', findNickel],
])('one infra in YAML and in .%s is the same definition, byte for byte', SLOW, async (ending, find) => {
  const tool = await find();
  if ('why' in tool) return console.warn(tool.why);
  const path = process.env.PATH;
  process.env.PATH = `${tool.programs}:${path}`;
  try {
    expect(await definitionOf(`shop.${ending}`, tool.folders)).toBe(await definitionOf('shop.yaml'));
  } finally {
    process.env.PATH = path;
  }
});
