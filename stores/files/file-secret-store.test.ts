import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { testText } from '../../test/support/private-text.js';
import { environmentKey } from '../secrets.js';
import { FileSecretStore } from './file-secret-store.js';

let folder: string;
beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'secrets-')), 'secrets');
});
afterEach(() => rm(join(folder, '..'), { recursive: true }));
const storeOf = (env: NodeJS.ProcessEnv = {}) => new FileSecretStore(folder, env, testText);
const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

describe('a file store', () => {
  test('keeps what is set, for its owner only', async () => {
    const store = storeOf();
    expect(await store.get('db/password')).toBeUndefined();
    expect(await store.list()).toEqual([]);
    await store.set('db/password', 'one');
    await store.set('db/password', 'two\n');
    expect(await storeOf().get('db/password')).toBe('two\n');
    expect(await store.list()).toEqual(['db/password']);
    expect(await modeOf(folder)).toBe('700');
    const versions = join(folder, '.versions', 'db%2Fpassword');
    expect(await readdir(folder)).toEqual(['.versions']);
    expect(await readdir(versions)).toEqual(['1', '2']);
    expect([await modeOf(versions), await modeOf(join(versions, '2'))]).toEqual(['700', '600']);
  });

  test('takes up what a release without versions kept, as the first version', async () => {
    await mkdir(folder);
    await writeFile(join(folder, 'db%2Fpassword'), 'former\n');
    const store = storeOf();
    const { mtime } = await stat(join(folder, 'db%2Fpassword'));
    const first = { version: 1, at: mtime.toISOString(), by: '', how: '' };
    expect([await store.get('db/password'), await store.list()]).toEqual(['former\n', ['db/password']]);
    expect([await store.history('db/password'), await store.version('db/password', 1)]).toEqual([[first], 'former\n']);
    await store.set('db/password', 'next', { by: 'ada', how: 'secret set' });
    expect(await readdir(folder)).toEqual(['.versions']);
    expect(await store.history('db/password')).toEqual([expect.objectContaining({ version: 2, by: 'ada' }), first]);
    expect(await store.version('db/password', 1)).toBe('former\n');
    await writeFile(join(folder, 'other'), 'x');
    expect([await store.delete('other'), await store.list()]).toEqual([true, ['db/password']]);
  });

  test('keeps what a worker of a former version reads, until the home is sealed', async () => {
    let isSealed = false;
    const text = { ...testText, encode: async (one: string, context: string) => (isSealed ? testText.encode(one, context) : one) };
    const store = new FileSecretStore(folder, {}, text);
    const former = join(folder, 'pw');
    await store.set('pw', 'one');
    await store.set('pw', 'two');
    expect([await readFile(former, 'utf8'), await store.list(), await store.get('pw')]).toEqual(['two', ['pw'], 'two']);
    isSealed = true;
    await store.set('pw', 'three');
    expect(await readdir(folder)).toEqual(['.versions']);
    expect([await store.version('pw', 1), await store.version('pw', 2), await store.get('pw')]).toEqual(['one', 'two', 'three']);
  });

  test('does not print the value of a file that it cannot read', async () => {
    const store = storeOf();
    await store.set('a', 'b');
    await writeFile(join(folder, '.versions', 'a', '1'), 'hunter2');
    const error = await store.get('a').catch((thrown) => thrown);
    expect(error).toMatchObject({ details: { code: 'secret-file', blame: 'bug' } });
    expect([error.message, error.cause]).toEqual([expect.not.stringContaining('hunter2'), undefined]);
  });

  test('keeps the last reads of a secret, however many there are', async () => {
    const store = storeOf();
    const read = { at: '2026-01-05T08:00:00.000Z', by: 'x'.repeat(400), how: 'operation' as const };
    for (let count = 1; count <= 1_300; count++) await store.noteRead('a', { ...read, host: String(count) });
    const kept = await store.reads('a');
    expect([kept.at(-1)?.host, kept.length < 1_250, kept.length > 500]).toEqual(['1300', true, true]);
    expect(await modeOf(join(folder, '.reads', 'a', 'new'))).toBe('600');
    expect(await store.list()).toEqual([]);
  });

  test('closes a folder that stood open', async () => {
    await mkdir(folder);
    await chmod(folder, 0o755);
    await storeOf().set('a', 'b');
    expect(await modeOf(folder)).toBe('700');
  });

  test('deletes, and says whether there was something', async () => {
    const store = storeOf();
    await store.set('a', 'b');
    expect(await store.delete('a')).toBe(true);
    expect(await store.delete('a')).toBe(false);
    expect(await store.get('a')).toBeUndefined();
  });

  test.each(['', '../x', 'a//b', '.hidden', 'a/..', 'a b', 'ä', 'x'.repeat(201)])('refuses the name %j', async (name) => {
    await expect(storeOf().set(name, 'v')).rejects.toMatchObject({ details: { code: 'secret-name', blame: 'user' } });
    await expect(storeOf().get(name)).rejects.toMatchObject({ details: { code: 'secret-name' } });
  });

  test('keeps those of a workspace and of an infra apart, for their owner only', async () => {
    const store = storeOf({ PROVISIONING_SECRET_PW: 'from-outside' });
    await store.within({ workspace: 'w', infra: 'shop' }).set('db/pw', 'narrow');
    await store.within({ workspace: 'w' }).set('db/pw', 'wide');
    await store.within({ workspace: 'w' }).set('pw', 'wide too');
    expect(await storeOf().within({ workspace: 'w', infra: 'shop' }).get('db/pw')).toBe('narrow');
    expect(await store.within({ workspace: 'w' }).get('db/pw')).toBe('wide');
    expect(await store.within({ workspace: 'w', infra: 'other' }).get('db/pw')).toBeUndefined();
    expect(await store.within({ workspace: 'v' }).get('pw')).toBeUndefined();
    expect([await store.get('db/pw'), await store.list()]).toEqual([undefined, []]);
    expect(await store.listScoped('w')).toEqual([{ name: 'db/pw' }, { name: 'db/pw', infra: 'shop' }, { name: 'pw' }]);
    expect(await store.listScoped('v')).toEqual([]);
    const place = join(folder, '.workspaces', 'w', '.infras', 'shop');
    for (const path of [folder, join(folder, '.workspaces'), join(folder, '.workspaces', 'w'), place])
      expect(await modeOf(path)).toBe('700');
    expect(await modeOf(join(place, '.versions', 'db%2Fpw', '1'))).toBe('600');
    expect(await store.within({ workspace: 'w', infra: 'shop' }).delete('db/pw')).toBe(true);
    expect(await store.within({ workspace: 'w' }).get('db/pw')).toBe('wide');
  });

  test.each(['', '..', '../x', 'a/b', '.infras', 'A'])('refuses %j as a workspace and as an infra', (name) => {
    expect(() => storeOf().within({ workspace: name })).toThrow('find the secrets');
    expect(() => storeOf().within({ workspace: 'w', infra: name })).toThrow('find the secrets');
  });

  test('the environment wins', async () => {
    const env = { PROVISIONING_SECRET_REDIS_PASSWORD: 'from-outside' };
    await storeOf().set('redis-password', 'kept');
    expect(environmentKey('redisPassword')).toBe('PROVISIONING_SECRET_REDIS_PASSWORD');
    expect(await storeOf(env).get('redis-password')).toBe('from-outside');
  });
});

describe('a generated secret', () => {
  const NAME = 'generated/default/demo/redis.password';

  test('is made once, of 32 plain characters', async () => {
    const made = await storeOf().ensureGenerated(NAME);
    expect(made).toMatch(/^[A-Za-z0-9_-]{32}$/);
    expect(await storeOf().ensureGenerated(NAME)).toBe(made);
    expect(await storeOf().ensureGenerated(`${NAME}2`)).not.toBe(made);
  });

  test('is one and the same for processes that ask at once', async () => {
    const module = fileURLToPath(new URL('file-secret-store.ts', import.meta.url));
    const tsx = fileURLToPath(new URL('../../node_modules/tsx/dist/cli.mjs', import.meta.url));
    const helper = fileURLToPath(new URL('../../test/support/private-text.ts', import.meta.url));
    const code = `import { FileSecretStore } from ${JSON.stringify(module)};
      import { testText } from ${JSON.stringify(helper)};
      const store = new FileSecretStore(${JSON.stringify(folder)}, {}, testText);
      console.log((await Promise.all(Array.from({ length: 8 }, () => store.ensureGenerated('${NAME}')))).join(' '));`;
    const ask = () => promisify(execFile)(process.execPath, [tsx, '--input-type=module', '--eval', code]);
    const answers = await Promise.all([ask(), ask(), ask()]);
    const values = new Set(answers.flatMap(({ stdout }) => stdout.trim().split(/\s+/)));
    expect(values.size).toBe(1);
    const place = join(folder, '.versions', encodeURIComponent(NAME));
    expect(await readdir(place)).toEqual(['1']);
    expect(await readFile(join(place, '1'), 'utf8')).not.toContain([...values][0]);
    expect(values).toContain(await storeOf().get(NAME));
  }, 30_000);
});
