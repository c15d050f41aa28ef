import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KMS } from '@aws-sdk/client-kms';
import { generateIdentity, identityToRecipient } from 'age-encryption';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ProvisioningError } from '../../core/errors.js';
import { startMoto, whyNoMoto } from '../../test/clouds/aws/moto.js';
import { startRealVault, whyNoVault } from '../../test/support/key-services/real-vault.js';
import { startTransit, type Transit } from '../../test/support/key-services/transit.js';
import type { KmsKind } from './key-wrapper.js';
import { addLocalKey } from './local-keys.js';
import { openKms } from './open-kms.js';

/** Inputs of the contract for a service. */
interface Service {
  kind: KmsKind;
  /** Settings of a permitted user. */
  env: NodeJS.ProcessEnv;
  /** Gives its key a new version. */
  rotate(): Promise<void>;
  /** Settings of a user with another key. */
  otherKey: NodeJS.ProcessEnv;
  /** Settings that are refused; absent if everyone who reaches the key may use it. */
  denied?: NodeJS.ProcessEnv;
  /** Whether it binds wrapped keys to a set-up. */
  binds: boolean;
  stop?(): Promise<void>;
}

/** Services, with the reason if one is skipped here. */
const SERVICES: Record<string, { why?: string; start(place: string): Promise<Service> }> = {
  local: { start: localService },
  age: { start: ageService },
  command: { start: commandService },
  'AWS KMS (moto 5.2.1)': { why: await whyNoMoto(), start: motoService },
  'transit (a stand-in by its documentation)': { start: async () => vaultService(await startTransit()) },
  'transit of Vault 1.21.3': { why: whyNoVault(), start: async () => vaultService(await startRealVault()) },
};

describe.each(Object.entries(SERVICES))('a key service, %s', (_, { why, start }) => {
  const run = test.skipIf(why);
  const key = randomBytes(32);
  let place: string;
  let service: Service;
  beforeAll(async () => {
    if (why) return;
    place = await mkdtemp(join(tmpdir(), 'kms-'));
    service = await start(place);
  });
  afterAll(async () => {
    await service?.stop?.();
    if (place) await rm(place, { recursive: true, force: true });
  });
  const opened = (env = service.env, setUp = 'cafe') => openKms(service.kind, { setUp, env });
  const failure = async (work: Promise<unknown>): Promise<ProvisioningError['details']> => {
    const error = await work.then(
      () => undefined,
      (thrown) => thrown as ProvisioningError,
    );
    expect(error?.name).toBe('ProvisioningError');
    const { details } = error as ProvisioningError;
    // One line, without the key or a token.
    const said = JSON.stringify(details);
    expect(details.why).not.toMatch(/\n/);
    for (const secret of [key.toString('base64'), service.env.VAULT_TOKEN, service.env.AWS_SECRET_ACCESS_KEY])
      if (secret) expect(said).not.toContain(secret);
    return details;
  };

  run(`wraps and unwraps${why ? ` (left out: ${why})` : ''}`, async () => {
    const wrapped = await (await opened()).wrap(key);
    expect(wrapped).not.toContain(key.toString('base64'));
    expect(wrapped).toMatch(/^[\x21-\x7e]+$/);
    expect(await (await opened()).unwrap(wrapped)).toEqual(key);
    expect((await opened()).name).not.toContain(service.env.VAULT_TOKEN ?? 'no token');
  });

  run('opens what a former version of its key has wrapped', async () => {
    const before = await (await opened()).wrap(key);
    await service.rotate();
    const after = await (await opened()).wrap(key);
    expect(after).not.toBe(before);
    expect([await (await opened()).unwrap(before), await (await opened()).unwrap(after)]).toEqual([key, key]);
  });

  run('does not open what another key has wrapped', async () => {
    const wrapped = await (await opened(service.otherKey)).wrap(key);
    await failure((await opened()).unwrap(wrapped));
  });

  run('does not open what was wrapped for another set-up, where it can bind that', async () => {
    const wrapped = await (await opened(service.env, 'beef')).wrap(key);
    if (service.binds) await failure((await opened()).unwrap(wrapped));
    else expect(await (await opened()).unwrap(wrapped)).toEqual(key);
  });

  run('does not open what is none of its own', async () => {
    for (const garbage of ['', 'not base64!', randomBytes(48).toString('base64'), 'vault:v1:AAAA', 'vault:v99:AAAA'])
      await failure((await opened()).unwrap(garbage));
    const wrapped = await (await opened()).wrap(key);
    await failure((await opened()).unwrap(`${wrapped.slice(0, -8)}AAAAAAA=`));
  });

  run('says who is not allowed', async () => {
    if (!service.denied) return;
    const { denied } = service;
    expect(await failure(opened(denied).then((kms) => kms.wrap(key)))).toMatchObject({
      code: expect.stringMatching(/^(key-refused|key-file|kms-setting)$/),
      blame: 'user',
    });
    const wrapped = await (await opened()).wrap(key);
    expect((await failure(opened(denied).then((kms) => kms.unwrap(wrapped)))).blame).toBe('user');
  });
});

describe.each(['vault', 'aws-kms'] as const)('%s over a network', (kind) => {
  const envOf = (address: string): NodeJS.ProcessEnv => ({
    PROVISIONING_ENCRYPTION_KMS_ADDRESS: address,
    PROVISIONING_ENCRYPTION_KMS_KEY: kind === 'vault' ? 'transit/one' : 'alias/one',
    VAULT_TOKEN: 'hvs.secret-token',
  });
  const ask = async (address: string) => {
    const started = performance.now();
    const kms = await openKms(kind, { setUp: 'cafe', env: envOf(address) });
    const error = await kms.unwrap('dmF1bHQ=').catch((thrown) => thrown);
    expect(JSON.stringify(error.details)).not.toContain('secret');
    return { ...error.details, ms: performance.now() - started };
  };
  beforeAll(() => {
    Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'secret-key', AWS_REGION: 'eu-west-1' });
  });

  test('that is gone is a transient error', async () => {
    expect(await ask('http://127.0.0.1:1')).toMatchObject({ code: 'key-service', blame: 'weather' });
  });

  test('that takes the connection and says nothing is given up', async () => {
    const silent = createTcp(() => {});
    await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done));
    const said = await ask(`http://127.0.0.1:${(silent.address() as AddressInfo).port}`);
    expect(said).toMatchObject({ code: 'key-service', blame: 'weather' });
    silent.close();
  }, 60_000);

  test.each([
    [200, 'garbage'],
    [200, '{"data":{"plaintext":"c2hvcnQ="},"Plaintext":"c2hvcnQ="}'],
    [200, '{}'],
    [400, '<html>'],
    [503, '{"errors":["Vault is sealed"]}'],
  ])('that answers %i %s is one clear error', async (status, body) => {
    const server = createServer((_, response) =>
      response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' }).end(body),
    );
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const said = await ask(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    server.closeAllConnections();
    server.close();
    expect(said.code).toMatch(status >= 500 ? /^key-service$/ : /^key-(refused|service)$/);
  });
});

test.each([
  ['http://vault.example.org:8200', 'is not https'],
  ['nonsense', 'is not an address'],
  ['', 'the address of Vault is missing'],
])('the address of a Vault %s', async (address, why) => {
  const env = { PROVISIONING_ENCRYPTION_KMS_ADDRESS: address, PROVISIONING_ENCRYPTION_KMS_KEY: 'k' };
  const error = await openKms('vault', { setUp: 'cafe', env }).catch((thrown) => thrown);
  expect(error.details).toMatchObject({ code: 'kms-setting', why: expect.stringContaining(why) });
});

async function localService(place: string): Promise<Service> {
  const env = { XDG_STATE_HOME: join(place, 'state') };
  const loose = join(place, 'loose/provisioning/keys/cafe');
  const { mkdir } = await import('node:fs/promises');
  await mkdir(join(loose, '..'), { recursive: true });
  await writeFile(loose, `${randomBytes(32).toString('base64')}\n`, { mode: 0o644 });
  await chmod(loose, 0o644);
  return {
    kind: 'local',
    env,
    rotate: () => addLocalKey({ setUp: 'cafe', env }),
    otherKey: { XDG_STATE_HOME: join(place, 'other') },
    denied: { XDG_STATE_HOME: join(place, 'loose') },
    binds: true,
  };
}

async function ageService(place: string): Promise<Service> {
  const identity = async (name: string) => {
    const [path, secret] = [join(place, name), await generateIdentity()];
    await writeFile(path, `# made for a test\n${secret}\n`, { mode: 0o600 });
    return { path, recipient: await identityToRecipient(secret) };
  };
  const [first, second, other] = [await identity('first'), await identity('second'), await identity('other')];
  const env: NodeJS.ProcessEnv = {
    PROVISIONING_ENCRYPTION_KMS_KEY: first.recipient,
    PROVISIONING_ENCRYPTION_KMS_FILE: first.path,
  };
  return {
    kind: 'age',
    env,
    // Another recipient, and a file with both identities.
    async rotate() {
      env.PROVISIONING_ENCRYPTION_KMS_KEY = second.recipient;
      await writeFile(first.path, `${await readFile(first.path, 'utf8')}${await readFile(second.path, 'utf8')}`);
    },
    otherKey: { PROVISIONING_ENCRYPTION_KMS_KEY: other.recipient, PROVISIONING_ENCRYPTION_KMS_FILE: other.path },
    denied: { PROVISIONING_ENCRYPTION_KMS_KEY: 'age1nonsense', PROVISIONING_ENCRYPTION_KMS_FILE: other.path },
    binds: true,
  };
}

/** Wraps with AES-GCM in Node, with versions of a key in a file, like a command that a person would write. */
async function commandService(place: string): Promise<Service> {
  const program = join(place, 'kms.mjs');
  await writeFile(
    program,
    `#!${process.execPath}
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
const [file, verb] = process.argv.slice(2);
const keys = readFileSync(file, 'utf8').trim().split('\\n').map((line) => Buffer.from(line, 'base64'));
const input = readFileSync(0, 'utf8');
if (verb === 'wrap') {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', keys.at(-1), nonce);
  const sealed = Buffer.concat([nonce, cipher.update(input), cipher.final(), cipher.getAuthTag()]);
  process.stdout.write(\`\${keys.length - 1}:\${sealed.toString('base64')}\`);
} else {
  const [version, text] = input.split(':');
  const sealed = Buffer.from(text, 'base64');
  const decipher = createDecipheriv('aes-256-gcm', keys[version], sealed.subarray(0, 12)).setAuthTag(sealed.subarray(-16));
  process.stdout.write(Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()]));
}
`,
    { mode: 0o755 },
  );
  const keys = async (name: string) => {
    const path = join(place, name);
    await writeFile(path, `${randomBytes(32).toString('base64')}\n`);
    return path;
  };
  const [own, other] = [await keys('own'), await keys('other')];
  return {
    kind: 'command',
    env: { ...process.env, PROVISIONING_KEY_COMMAND: `${program} ${own}` },
    rotate: async () => writeFile(own, `${randomBytes(32).toString('base64')}\n`, { flag: 'a' }),
    otherKey: { ...process.env, PROVISIONING_KEY_COMMAND: `${program} ${other}` },
    binds: false,
  };
}

async function motoService(): Promise<Service> {
  const { url, stop } = await startMoto();
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'secret-key', AWS_REGION: 'eu-west-1' });
  const kms = new KMS({ endpoint: url });
  const make = async () => (await kms.createKey({})).KeyMetadata?.KeyId ?? '';
  const [own, other, disabled] = [await make(), await make(), await make()];
  await kms.disableKey({ KeyId: disabled });
  const env = (id: string) => ({ PROVISIONING_ENCRYPTION_KMS_ADDRESS: url, PROVISIONING_ENCRYPTION_KMS_KEY: id });
  return {
    kind: 'aws-kms',
    env: env(own),
    rotate: async () => void (await kms.rotateKeyOnDemand({ KeyId: own })),
    otherKey: env(other),
    denied: env('alias/no-such-key'),
    binds: true,
    async stop() {
      kms.destroy();
      await stop();
    },
  };
}

async function vaultService(transit: Transit): Promise<Service> {
  await transit.makeKey('own');
  await transit.makeKey('other');
  const env = (key: string, token = transit.token) => ({
    PROVISIONING_ENCRYPTION_KMS_ADDRESS: transit.address,
    PROVISIONING_ENCRYPTION_KMS_KEY: key,
    VAULT_TOKEN: token,
  });
  return {
    kind: 'vault',
    env: env('transit/own'),
    rotate: () => transit.rotate('own'),
    otherKey: env('transit/other'),
    denied: env('own', transit.powerless),
    binds: true,
    stop: transit.stop,
  };
}
