import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import * as z from 'zod';
import type { Definition } from '../../core/definition/definition.js';
import { inputError } from '../../core/errors.js';
import { findSecretRefs } from '../../core/taskserv/secret.js';
import { loadDefinition } from '../../definition/load-definition.js';
import { registries } from '../../definition/registries/registries.js';
import { homeOf } from '../../home/home.js';
import { infraSecrets } from '../../secrets/infra-secrets.js';
import { noEngine, useSecrets } from '../../test/support/home-secrets.js';
import type { Context } from '../context.js';
import type { DefinitionError } from '../definition/definition-error.js';
import type { GivenKinds } from './given-kind.js';
import { resolveExternalValues } from './with-given.js';

const kinds: GivenKinds = {
  vial: {
    form: '{ vial: FILE }',
    keys: ['vial'],
    shape: z.strictObject({ vial: z.string() }),
    read: ({ vial }: { vial: string }, { root }) =>
      readFile(join(root, vial), 'utf8').catch(() => {
        throw inputError({ code: 'no-vial', what: 'read the vial', on: vial, why: 'there is none', hint: 'fill one' });
      }),
  },
};

let folder: string;
let context: Context;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'given-'));
  const home = homeOf({ PROVISIONING_HOME: join(folder, 'home') });
  const client = noEngine;
  context = { env: {}, home, workspace: 'default', actor: 'ann', client, note: () => {} };
});
afterEach(() => rm(folder, { recursive: true }));

async function submitted(infra: string, passwords: string[]): Promise<Definition> {
  const file = join(folder, 'infra.yaml');
  const services = passwords.map(
    (password, index) => `  - { name: redis, on: { server: s-${index + 1} }, config: { password: ${password} } }`,
  );
  const servers = `servers: [{ name: s, plan: small, count: ${passwords.length} }]`;
  await writeFile(file, `infra: ${infra}\nprovider: demo\n${servers}\ntaskservs:\n${services.join('\n')}\n`);
  const secretNames = { has: () => false };
  const loaded = await loadDefinition(file, {
    workspace: 'default',
    registries: await registries(),
    secretNames,
    referenceKinds: kinds,
  });
  if (!loaded.definition) throw new Error(JSON.stringify(loaded.problems));
  return resolveExternalValues(context, loaded, kinds);
}

const namesIn = (definition: Definition) => findSecretRefs(definition).map(({ name }) => name);
const asWorker = (infra: string, name: string) =>
  useSecrets(context, (secrets) =>
    infraSecrets(secrets, { workspace: 'default', infra }, {}, () => ({ operation: 'o', host: 'h' })).get(name),
  );

test('a value is kept for its infra alone, and the definition has its name', async () => {
  await writeFile(join(folder, 'a'), 'hunter2');
  const definition = await submitted('shop', ['{ vial: a }', '{ vial: a }']);
  const [name = '', ...others] = namesIn(definition);
  expect(others).toEqual([name]);
  expect(await asWorker('shop', name)).toBe('hunter2');
  expect(await asWorker('other', name)).toBeUndefined();
  expect(JSON.stringify(definition)).not.toContain('hunter2');
});

test('another value has another name, the same value the same one, and former values stay', async () => {
  await writeFile(join(folder, 'a'), 'one');
  const [first = ''] = namesIn(await submitted('shop', ['{ vial: a }']));
  await writeFile(join(folder, 'a'), 'two');
  const [second = ''] = namesIn(await submitted('shop', ['{ vial: a }']));
  await writeFile(join(folder, 'a'), 'one');
  const [third = ''] = namesIn(await submitted('shop', ['{ vial: a }']));
  expect(second).not.toBe(first);
  expect(third).toBe(first);
  expect([await asWorker('shop', first), await asWorker('shop', second)]).toEqual(['one', 'two']);
});

test('names tell nobody that two values are equal', async () => {
  await writeFile(join(folder, 'a'), 'same');
  await writeFile(join(folder, 'b'), 'same');
  const [a = '', b = ''] = namesIn(await submitted('shop', ['{ vial: a }', '{ vial: b }']));
  const [elsewhere = ''] = namesIn(await submitted('other', ['{ vial: a }']));
  const tails = [a, b, elsewhere].map((name) => name.split('/').at(-1));
  expect(new Set(tails).size).toBe(3);
});

test('what cannot be read is told for each reference, and nothing is kept', async () => {
  await writeFile(join(folder, 'a'), 'x');
  const error = await submitted('shop', ['{ vial: a }', '{ vial: b }', '{ vial: c }']).catch((thrown: DefinitionError) => thrown);
  expect((error as DefinitionError).details.code).toBe('no-vial');
  expect((error as DefinitionError).problems).toMatchObject([
    { line: 6, path: 'taskservs[1].config.password', message: 'cannot read the vial: b: there is none', suggestion: 'fill one' },
    { line: 7, path: 'taskservs[2].config.password' },
  ]);
  expect(await readdir(join(folder, 'home')).catch(() => [])).not.toContain('secrets');
});
