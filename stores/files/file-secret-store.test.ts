import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { secretNamesOf } from '../../secrets/infra-secrets.js';
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
    const files = await readdir(folder);
    expect(files).toHaveLength(1);
    expect(await modeOf(join(folder, files[0] as string))).toBe('600');
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
    expect(await modeOf(join(place, 'db%2Fpw'))).toBe('600');
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
    const names = await secretNamesOf(storeOf(env), 'w', env);
    expect(['redis-password', 'redis.password', 'other'].map((name) => names.has(name, 'shop'))).toEqual([true, true, false]);
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
    const files = await readdir(folder);
    expect(files).toHaveLength(1);
    expect(values).toContain(await storeOf().get(NAME));
  }, 30_000);
});
