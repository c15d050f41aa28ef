import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createCipher } from './cipher.js';
import { createKeyFile, ensureKey, readKeyring } from './keys.js';

let place: string;
let folder: string;
let env: NodeJS.ProcessEnv;
const text = Buffer.from('text');
const base64 = () => randomBytes(32).toString('base64');
const detailsOf = (error: { details?: object }) => error.details;
const ids = async (given = env) => (await readKeyring({ folder, env: given })).list().map(({ id }) => id);

beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), 'keys-'));
  folder = join(place, 'encryption');
  env = { PATH: process.env.PATH, HOME: place };
});
afterEach(() => rm(place, { recursive: true, force: true }));

describe('the file', () => {
  test('is made once, for its owner only, also by many at once', async () => {
    await Promise.all(Array.from({ length: 8 }, () => ensureKey({ folder, env, setUp: async () => 'cafe' })));
    expect(await ids()).toHaveLength(1);
    expect((await stat(join(folder, 'keys.json'))).mode & 0o777).toBe(0o600);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
  });

  test('that others may read is refused', async () => {
    await ensureKey({ folder, env, setUp: async () => 'cafe' });
    await chmod(join(folder, 'keys.json'), 0o640);
    expect(await ids().catch(detailsOf)).toMatchObject({
      code: 'key-file',
      why: 'others may read or write it (mode 640)',
      hint: `chmod 600 ${folder}/keys.json`,
    });
  });

  test('that is damaged is one error that quotes nothing of it', async () => {
    await ensureKey({ folder, env, setUp: async () => 'cafe' });
    await writeFile(join(folder, 'keys.json'), '{ "keys": [ "SECRET');
    const error = await ids().catch((thrown) => thrown);
    expect(error.details.code).toBe('key-file');
    expect(JSON.stringify(error.details)).not.toContain('SECRET');
  });

  test('keeps every key of several that are added at once', async () => {
    await ensureKey({ folder, env, setUp: async () => 'cafe' });
    const made = await Promise.all(Array.from({ length: 5 }, () => createKeyFile({ folder, env }).add()));
    expect((await ids()).slice(0, 5).sort()).toEqual(made.map(({ id }) => id).sort());
    expect(await ids()).toHaveLength(6);
    expect(await readdir(folder)).toEqual(['keys.json']);
  });

  test('a running process takes up a key that another one made', async () => {
    await ensureKey({ folder, env, setUp: async () => 'cafe' });
    const keyring = await readKeyring({ folder, env });
    const cipher = createCipher(keyring);
    const old = cipher.seal(text, '');
    const made = await createKeyFile({ folder, env }).add();
    expect(await keyring.refresh()).toBe(true);
    expect(cipher.keyId).toBe(made.id);
    expect(await cipher.open(old, '')).toEqual(text);
  });
});

describe('the environment', () => {
  test('goes before the file, its first key first; the file still opens', async () => {
    await ensureKey({ folder, env, setUp: async () => 'cafe' });
    const [inFile] = await ids();
    const given = { ...env, PROVISIONING_ENCRYPTION_KEYS: `team-2:${base64()}, team-1:${base64()}` };
    expect(await ids(given)).toEqual(['team-2', 'team-1', inFile]);
  });

  test('makes no file', async () => {
    const given = { ...env, PROVISIONING_ENCRYPTION_KEY: base64() };
    await ensureKey({ folder, env: given, setUp: async () => 'cafe' });
    expect(await createKeyFile({ folder, env: given }).mark()).toBeUndefined();
    expect(await ids(given)).toHaveLength(1);
  });

  test('the same key without an id has the same one everywhere', async () => {
    const key = base64();
    const both = { ...env, PROVISIONING_ENCRYPTION_KEYS: key, PROVISIONING_ENCRYPTION_KEY: key };
    expect(await ids(both)).toEqual(await ids({ ...env, PROVISIONING_ENCRYPTION_KEY: key }));
  });

  test.each(['short', randomBytes(16).toString('base64'), `a b:${base64()}`])(
    'what is no key is refused without being shown',
    async (key) => {
      const error = await ids({ ...env, PROVISIONING_ENCRYPTION_KEY: key }).catch((thrown) => thrown);
      expect(error.details).toMatchObject({ code: 'encryption-key', on: 'PROVISIONING_ENCRYPTION_KEY, key 1' });
      expect(JSON.stringify(error.details)).not.toContain(key);
    },
  );
});

describe('a key service', () => {
  /** A foreign key service: openssl with a passphrase in a file, like a script that a person would write. */
  const SERVICE = `#!/bin/sh
echo "$@" >>"$0.calls"
case "$1" in
  wrap) openssl enc -aes-256-cbc -pbkdf2 -a -A -pass "file:$0.key" ;;
  unwrap) openssl enc -d -aes-256-cbc -pbkdf2 -a -A -pass "file:$0.key" ;;
esac
`;
  let given: NodeJS.ProcessEnv;

  beforeEach(async () => {
    const command = join(place, 'kms');
    await writeFile(command, SERVICE, { mode: 0o755 });
    await writeFile(`${command}.key`, base64());
    given = { ...env, PROVISIONING_KEY_COMMAND: command };
  });

  test('keeps the key wrapped in the file, and unwraps it once for each process', async () => {
    await ensureKey({ folder, env: given, setUp: async () => 'cafe' });
    const keyring = await readKeyring({ folder, env: given });
    const cipher = createCipher(keyring);
    const file = await readFile(join(folder, 'keys.json'), 'utf8');
    expect(JSON.parse(file)).toEqual({
      setUp: 'cafe',
      keys: [{ id: cipher.keyId, since: expect.any(String), kms: 'command', wrapped: expect.any(String) }],
    });
    expect(file).not.toContain(keyring.current().secret.export().toString('base64'));
    await keyring.refresh();
    const again = createCipher(await readKeyring({ folder, env: given }));
    expect(await again.open(cipher.seal(text, ''), '')).toEqual(text);
    expect((await readFile(join(place, 'kms.calls'), 'utf8')).split('\n')).toEqual(['wrap', 'unwrap', '']);
  });

  test('that is not named, or fails, is one clear error', async () => {
    await ensureKey({ folder, env: given, setUp: async () => 'cafe' });
    expect(await ids().catch(detailsOf)).toMatchObject({
      code: 'kms-setting',
      hint: expect.stringContaining('PROVISIONING_KEY_COMMAND'),
    });
    // Another key would succeed by chance once in 256 times, when openssl accepts the padding.
    await rm(join(place, 'kms.key'));
    expect(await ids(given).catch(detailsOf)).toMatchObject({
      code: 'key-service',
      blame: 'weather',
      what: 'unwrap the encryption key',
    });
  });
});

describe('the wrapping key of this machine', () => {
  const wrapping = () => join(place, '.local/state/provisioning/keys/cafe');
  const make = () => ensureKey({ folder, env, setUp: async () => 'cafe' });
  const restOf = async () => readFile(join(folder, 'keys.json'), 'utf8');
  /** Reads the keys like another process, which has not unwrapped any key yet. */
  const afresh = async (given = env) => {
    vi.resetModules();
    const { readKeyring: read } = await import('./keys.js');
    return (await read({ folder, env: given })).list().map(({ id }) => id);
  };

  test('is outside of the home, private, and without it nothing opens', async () => {
    await make();
    const [id] = await ids();
    expect(JSON.parse(await restOf())).toMatchObject({ setUp: 'cafe', keys: [{ id, kms: 'local' }] });
    expect((await stat(wrapping())).mode & 0o777).toBe(0o600);
    expect((await stat(join(wrapping(), '..'))).mode & 0o777).toBe(0o700);
    expect(await afresh()).toEqual([id]);
    const kept = await readFile(wrapping(), 'utf8');
    await rm(wrapping());
    expect(await afresh().catch(detailsOf)).toMatchObject({
      code: 'key-file',
      on: wrapping(),
      why: 'the wrapping key of the set-up cafe is not on this machine',
      hint: expect.stringContaining('provisioning key import'),
    });
    await writeFile(wrapping(), `${base64()}\n`, { mode: 0o600 });
    expect(await afresh().catch(detailsOf)).toMatchObject({ code: 'key-file', why: expect.stringContaining('another key') });
    await writeFile(wrapping(), kept);
    await chmod(wrapping(), 0o640);
    expect(await afresh().catch(detailsOf)).toMatchObject({ code: 'key-file', hint: `chmod 600 ${wrapping()}` });
  });

  test('may be a credential of systemd', async () => {
    await make();
    const credentials = join(place, 'credentials');
    await mkdir(credentials);
    await rename(wrapping(), join(credentials, 'provisioning-key'));
    expect(await afresh({ ...env, CREDENTIALS_DIRECTORY: credentials })).toHaveLength(1);
  });

  test('is another one after all keys were wrapped again, and the former one opens nothing', async () => {
    await make();
    const before = { keys: await ids(), wrapping: await readFile(wrapping(), 'utf8'), file: await restOf() };
    expect(await createKeyFile({ folder, env }).wrapAgain('all')).toBe(1);
    expect(await afresh()).toEqual(before.keys);
    const after = await readFile(wrapping(), 'utf8');
    expect(after.trim().split('\n')).toHaveLength(1);
    expect(after).not.toBe(before.wrapping);
    expect(await restOf()).not.toBe(before.file);
    await writeFile(wrapping(), before.wrapping);
    expect(await afresh().catch(detailsOf)).toMatchObject({ code: 'key-file' });
  });

  test('wraps keys that a former version left plain, once that is asked for', async () => {
    await mkdir(folder, { mode: 0o700 });
    const [one, two] = [base64(), base64()];
    const plain = { keys: [one, two].map((key, index) => ({ id: `k${index}`, since: 'long ago', key })) };
    await writeFile(join(folder, 'keys.json'), JSON.stringify(plain), { mode: 0o600 });
    const file = createKeyFile({ folder, env, setUp: async () => 'cafe' });
    expect([await ids(), await file.wrappedBy()]).toEqual([['k0', 'k1'], [undefined]]);
    expect([await file.wrapAgain('plain'), await file.wrapAgain('plain')]).toEqual([2, 0]);
    const text = await restOf();
    expect([text.includes(one), text.includes(two)]).toEqual([false, false]);
    expect([await afresh(), await file.wrappedBy()]).toEqual([['k0', 'k1'], ['local']]);
  });

  test('of another set-up opens nothing, and its name leads nowhere', async () => {
    await make();
    const list = JSON.parse(await restOf());
    await copyFile(wrapping(), join(wrapping(), '../beef'));
    await writeFile(join(folder, 'keys.json'), JSON.stringify({ ...list, setUp: 'beef' }));
    expect(await afresh().catch(detailsOf)).toMatchObject({ why: 'the wrapped key was altered, or belongs to another set-up' });
    await writeFile(join(folder, 'keys.json'), JSON.stringify({ ...list, setUp: '../keys/cafe' }));
    expect(await afresh().catch(detailsOf)).toMatchObject({ code: 'key-file', why: expect.stringContaining('not of the form') });
  });

  test('a lock that a killed process left is taken over', async () => {
    await make();
    const gone = spawnSync('true').pid;
    await writeFile(join(folder, 'keys.json.next'), String(gone));
    await createKeyFile({ folder, env }).add();
    expect(await ids()).toHaveLength(2);
    expect(await readdir(folder)).toEqual(['keys.json']);
  });
});
