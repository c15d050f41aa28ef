import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateIdentity, identityToRecipient } from 'age-encryption';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { findSecretRefs } from '../../core/taskserv/secret.js';
import { loadDefinition } from '../../definition/load-definition.js';
import { registries } from '../../definition/registries/registries.js';
import { problemText } from '../../definition/source/problem.js';
import { homeOf } from '../../home/home.js';
import { newSopsFile } from '../../sops/sops-file.js';
import { noEngine, useSecrets } from '../../test/support/home-secrets.js';
import type { Context } from '../context.js';
import type { DefinitionError } from '../definition/definition-error.js';
import { GIVEN_KINDS } from './kinds.js';
import { sopsReference } from './sops.js';
import { resolveExternalValues } from './with-given.js';

// Generous time-outs for busy machines. No test waits.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let folder: string;
let key: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'given-sops-'));
  key = await generateIdentity();
  await mkdir(join(folder, 'ws/secrets'), { recursive: true });
  await writeFile(join(folder, 'ws/provisioning.yaml'), 'workspace: default\n');
  await seal('prod.sops.yaml', 'db:\n  password: hunter2\n  port: 5432\ndotted.name: x\nempty: ""\nlist: [a, b]\n');
  await seal('app.env', 'TOKEN=abc\n');
  await seal('tls.pem', 'PEM\n');
  await writeFile(join(folder, 'ws/secrets/plain.yaml'), 'a: 1\n');
  await symlink('/etc', join(folder, 'ws/secrets/out'));
});
afterAll(() => rm(folder, { recursive: true }));

async function seal(name: string, text: string): Promise<void> {
  const file = join(folder, 'ws/secrets', name);
  await writeFile(file, await newSopsFile(file, Buffer.from(text), { recipients: [await identityToRecipient(key)] }, new Date()));
}

const contextWith = (env: NodeJS.ProcessEnv): Context => ({
  env: { XDG_CONFIG_HOME: join(folder, 'none'), ...env },
  home: homeOf({ PROVISIONING_HOME: join(folder, 'home') }),
  workspace: 'default',
  actor: 'ann',
  client: noEngine,
  note: () => {},
});

async function read(reference: string) {
  const file = join(folder, 'ws/infra.yaml');
  const service = `  - { name: redis, config: { password: ${reference} } }`;
  await writeFile(file, `infra: shop\nprovider: demo\nservers: [{ name: s, plan: small }]\ntaskservs:\n${service}\n`);
  const secretNames = { has: () => false };
  return loadDefinition(file, { workspace: 'default', registries: await registries(), secretNames, referenceKinds: GIVEN_KINDS });
}

async function secretOf(reference: string, env: NodeJS.ProcessEnv = { SOPS_AGE_KEY: key }): Promise<string | undefined> {
  const loaded = await read(reference);
  if (!loaded.definition) throw new Error(loaded.problems.map(problemText).join('\n'));
  const context = contextWith(env);
  const [secret] = findSecretRefs(await resolveExternalValues(context, loaded));
  return useSecrets(context, (secrets) => secrets.within({ workspace: 'default', infra: 'shop' }).get(secret?.name ?? ''));
}

test.each([
  ['{ sops: secrets/prod.sops.yaml, key: db.password }', 'hunter2'],
  ['{ sops: secrets/prod.sops.yaml, key: [db, port] }', '5432'],
  ['{ sops: secrets/prod.sops.yaml, key: dotted.name }', 'x'],
  ['{ sops: secrets/prod.sops.yaml, key: list.1 }', 'b'],
  ['{ sops: ./secrets/app.env, key: TOKEN }', 'abc'],
  ['{ sops: secrets/tls.pem }', 'PEM\n'],
])('%s is read before it is submitted', async (reference, value) => expect(await secretOf(reference)).toBe(value));

test.each([
  ['{ sops: secrets/gone.yaml, key: a }', 'the file does not exist', undefined],
  ['{ sops: secrets/plain.yaml, key: a }', 'it is not a SOPS file', 'provisioning secret encrypt secrets/plain.yaml'],
  ['{ sops: secrets/prod.sops.yaml, key: db.pasword }', 'has no value "db.pasword"', 'did you mean "password"?'],
  ['{ sops: secrets/prod.sops.yaml, key: db }', 'is a map', 'it has password, port'],
  ['{ sops: secrets/prod.sops.yaml }', 'has several values', 'choose one: { sops: secrets/prod.sops.yaml, key: PATH }'],
  ['{ sops: secrets/out/passwd, key: a }', 'is outside of', 'a definition can only read files of its workspace'],
  ['{ sops: ../home/x, key: a }', 'is outside of', 'a definition can only read files of its workspace'],
  ['{ sops: 5, key: a }', 'write the path of a SOPS file', 'write { sops: FILE, key: PATH }'],
])('%s is a problem of its line, without a key', async (reference, message, suggestion) => {
  const { problems } = await read(reference);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatchObject({ line: 5, message: expect.stringContaining(message), ...(suggestion ? { suggestion } : {}) });
});

test('who lacks the key is told for whom the file is, with the line that needs it', async () => {
  const loaded = await read('{ sops: secrets/prod.sops.yaml, key: db.password }');
  if (!loaded.definition) throw new Error('it was read before');
  const error = await resolveExternalValues(contextWith({}), loaded).catch((thrown: DefinitionError) => thrown);
  expect(error).toMatchObject({
    details: { code: 'sops-key' },
    problems: [{ line: 5, message: expect.stringContaining('there is no age key here') }],
  });
});

test('where the workspace is the home folder of the user, nothing in it is given', async () => {
  const place = { context: contextWith({ SOPS_AGE_KEY: key }), root: homedir(), ownSecret: async () => undefined };
  await expect(sopsReference.read({ sops: 'a.yaml', key: 'a' }, place)).rejects.toMatchObject({
    details: { code: 'given-refused', why: expect.stringContaining('your home folder') },
  });
});

test('an empty value is no secret', async () => {
  await expect(secretOf('{ sops: secrets/prod.sops.yaml, key: empty }')).rejects.toMatchObject({ details: { code: 'sops-file' } });
});

test('another value in the file has another name, so that what uses it is changed', async () => {
  const reference = '{ sops: secrets/turn.sops.yaml, key: a }';
  const nameWith = async (value: string) => {
    await seal('turn.sops.yaml', `a: ${value}\n`);
    const loaded = await read(reference);
    if (!loaded.definition) throw new Error('it was read before');
    return findSecretRefs(await resolveExternalValues(contextWith({ SOPS_AGE_KEY: key }), loaded))[0]?.name;
  };
  const first = await nameWith('one');
  expect(await nameWith('two')).not.toBe(first);
  // Encrypted again with another key, the value is the same.
  expect(await nameWith('one')).toBe(first);
});
