import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { clientOver } from '../../client/client.js';
import { createKeyFile } from '../../encryption/keys.js';
import { openEncryption } from '../../encryption/open-encryption.js';
import { homeOf } from '../../home/home.js';
import { keyPlaceIn } from '../../stores/files/key-place.js';
import { makeFirstKey, markSealed } from '../../stores/files/sealing.js';
import { createDispatcher } from '../dispatch.js';
import type { Engine } from '../engine.js';
import { createOwner, type Principal } from '../principal.js';

let root: string;
let env: NodeJS.ProcessEnv;
const home = () => homeOf({ PROVISIONING_HOME: root });
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'encryption-methods-'));
  env = { HOME: root, XDG_CONFIG_HOME: join(root, 'config') };
  await markSealed(home());
  await makeFirstKey(home(), env);
});
afterEach(() => rmSync(root, { recursive: true }));

const failure = (code: string) => ({ details: expect.objectContaining({ code }) });

function encryptionOf({
  more = {},
  principal = createOwner('ann@desk'),
}: {
  more?: NodeJS.ProcessEnv;
  principal?: Principal;
} = {}) {
  const engine = { stores: {}, beside: { home: home(), env: { ...env, ...more } } } as unknown as Engine;
  return clientOver({ ...createDispatcher({ engine, principal, checksAnswers: true }), close: async () => {} }).encryption;
}

test('a new key encrypts from then on, and what the former one encrypted still opens', async () => {
  const encryption = encryptionOf();
  const [first] = (await encryption.status({})).keys;
  const before = (await openEncryption(home(), env)).cipher.seal(Buffer.from('old'), 'a');
  const rotated = await encryption.rotate({});
  expect(rotated).toMatchObject({ former: first?.id });
  const { keys, ...status } = await encryption.status({});
  expect(status).toEqual({ encrypting: true, algorithm: 'AES-256-GCM', kms: 'local', wrappedBy: ['local'] });
  expect(keys.map(({ id, current }) => [id, current])).toEqual([
    [rotated.key, true],
    [first?.id, false],
  ]);
  expect((await (await openEncryption(home(), env)).cipher.open(before, 'a')).toString()).toBe('old');
});

test('keys are wrapped again, by another service where the settings name one, and no answer has a key', async () => {
  const encryption = encryptionOf();
  const wrapped = () => readFileSync(join(home().encryption, 'keys.json'), 'utf8');
  const first = wrapped();
  expect(await encryption.rewrap({})).toEqual({ kms: 'local', keys: 1 });
  expect(wrapped()).not.toBe(first);
  const kms = join(root, 'kms.sh');
  writeFileSync(kms, '#!/bin/sh\ncat\n', { mode: 0o700 });
  const other = encryptionOf({ more: { PROVISIONING_ENCRYPTION_KMS: 'command', PROVISIONING_KEY_COMMAND: kms } });
  const answers = [await other.rewrap({}), await other.status({}), await other.rotate({})];
  expect(answers[0]).toEqual({ kms: 'command', keys: 1, restart: true });
  expect(answers[1]).toMatchObject({ kms: 'command', wrappedBy: ['command'] });
  const keys = await createKeyFile(keyPlaceIn(home(), { ...env, PROVISIONING_KEY_COMMAND: kms })).read();
  expect(keys).toHaveLength(2);
  for (const { secret } of keys) expect(JSON.stringify(answers)).not.toContain(secret.export().toString('base64').slice(0, 12));
});

test('a key of the environment is not rotated', async () => {
  const given = `prod:${Buffer.alloc(32, 7).toString('base64')}`;
  const encryption = encryptionOf({ more: { PROVISIONING_ENCRYPTION_KEYS: given } });
  await expect(encryption.rotate({})).rejects.toMatchObject(failure('keys-from-environment'));
  const { keys } = await encryption.status({});
  expect(keys[0]).toMatchObject({ id: 'prod', current: true, source: 'PROVISIONING_ENCRYPTION_KEYS' });
  expect(keys).toHaveLength(2);
});

test('the right to read ids is not the right to rotate', async () => {
  const may: Principal['may'] = (action) => action.endsWith(':read');
  const encryption = encryptionOf({ principal: { actor: 'eve@desk', may } });
  await encryption.status({});
  await expect(encryption.rotate({})).rejects.toMatchObject(failure('forbidden'));
  await expect(encryption.rewrap({})).rejects.toMatchObject(failure('forbidden'));
  expect((await encryption.status({})).keys).toHaveLength(1);
});
