import { readdir, readFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { namesOf } from './attacks.js';
import { FORGED, keyOf, REQUESTS, WAYS } from './forged.js';
import { registryOf } from './registry.js';

const root = resolve(import.meta.dirname, '../..');
const registry = await registryOf(root);

/** Returns the names that the source of workflows/ defines, in any form of export. */
async function defined(): Promise<string[]> {
  const folder = join(root, 'workflows');
  const files = (await readdir(folder, { recursive: true })).filter((name) => /^[^.]+\.ts$/.test(name));
  const found: string[] = [];
  for (const path of files) {
    const file = basename(path);
    const text = await readFile(join(folder, path), 'utf8');
    expect(text, `${file} takes messages of any name`).not.toMatch(/setDefault(Signal|Update|Query)Handler/);
    for (const [, kind = '', name] of text.matchAll(/\bdefine(Signal|Update|Query)[<(][^']*?'(\w+)'/g))
      found.push(`${kind.toLowerCase()} ${file.replace('.ts', '')}.${name}`);
    expect([...text.matchAll(/\bdefine(Signal|Update|Query)[<(]/g)].length, file).toBe(
      found.filter((one) => one.includes(` ${file.replace('.ts', '')}.`)).length,
    );
  }
  return found.sort();
}

test('every workflow, signal, update, query and activity is attacked, in each way', async () => {
  const messages = registry.messages.map((message) => `${message.kind} ${keyOf(message)}`);
  expect(messages.sort()).toEqual(await defined());
  const names = new Set(namesOf(registry));
  const wanted = [
    ...registry.workflows.map((name) => `start ${name}`),
    ...messages,
    ...registry.activities.map((name) => `activity ${name}`),
  ];
  for (const name of wanted) for (const way of WAYS) expect(names, `${name}: ${way}`).toContain(`${name}: ${way}`);
  expect([registry.workflows.length, messages.length, registry.activities.length].every((count) => count > 5)).toBe(true);
});

test('for every message and every workflow there is something that a stranger would say', () => {
  expect(Object.keys(FORGED).sort()).toEqual(registry.messages.map(keyOf).sort());
  expect(Object.keys(REQUESTS).sort()).toEqual(registry.workflows);
});
