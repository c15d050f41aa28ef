import { execFile } from 'node:child_process';
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startMoto, whyNoMoto } from '../../test/clouds/aws/moto.js';
import { useSecrets } from '../../test/support/home-secrets.js';
import { awsSecretReference } from './aws-secret.js';
import { envReference } from './env.js';
import { fileReference } from './file.js';
import { GivenHere, matchRefusal } from './fixtures.js';
import { vaultReference } from './vault.js';

const here = new GivenHere();

describe('a variable', () => {
  const read = (name: string) => envReference.read({ env: name }, here.place());

  test('is given where the user lists it, and no other', async () => {
    here.env = {
      DB_PASSWORD: 'hunter2',
      AWS_SECRET_ACCESS_KEY: 'key',
      EMPTY: '',
      PROVISIONING_GIVEN_ENV: 'OTHER, DB_PASSWORD,EMPTY,GONE',
    };
    expect(await read('DB_PASSWORD')).toBe('hunter2');
    await expect(read('AWS_SECRET_ACCESS_KEY')).rejects.toMatchObject(matchRefusal('definitions may not read it'));
    await expect(read('DB_PASS')).rejects.toMatchObject(matchRefusal('may not read it'));
    for (const name of ['EMPTY', 'GONE']) await expect(read(name)).rejects.toMatchObject(matchRefusal('not set, or empty'));
  });
});

describe('a file', () => {
  const read = (file: string) => fileReference.read({ file }, here.place());

  test('of the workspace is given without its last line break', async () => {
    await mkdir(join(here.root, 'keys'));
    await writeFile(join(here.root, 'keys', 'app.pem'), 'one\ntwo\r\n');
    await symlink('keys/app.pem', join(here.root, 'link.pem'));
    expect([await read('keys/app.pem'), await read('link.pem')]).toEqual(['one\ntwo', 'one\ntwo']);
  });

  test.each(['../other/id_rsa', 'sub/../../other/id_rsa', '/etc/passwd', '..', '.'])(
    'outside of it is not given: %s',
    async (file) => {
      await mkdir(join(here.folder, 'other'));
      await writeFile(join(here.folder, 'other', 'id_rsa'), 'private');
      await expect(read(file)).rejects.toMatchObject(matchRefusal('outside of the workspace'));
    },
  );

  test('whether there is one outside, it does not say', async () => {
    await writeFile(join(here.folder, 'there'), 'x');
    const tell = (file: string) => read(file).catch((error) => error.details.why);
    expect(await tell('../there')).toBe(await tell('../gone'));
  });

  test('a link, or a folder that is a link, leads nowhere else', async () => {
    await mkdir(join(here.folder, 'other'));
    await writeFile(join(here.folder, 'other', 'id_rsa'), 'private');
    await symlink('../other/id_rsa', join(here.root, 'key'));
    await symlink('../other', join(here.root, 'keys'));
    for (const file of ['key', 'keys/id_rsa'])
      await expect(read(file)).rejects.toMatchObject(matchRefusal('it is a link that leads out'));
  });

  test.each(['.git/config', '.env', 'sub/.aws/credentials'])('that is hidden is not given: %s', async (file) => {
    await mkdir(join(here.root, file, '..'), { recursive: true });
    await writeFile(join(here.root, file), 'token');
    await expect(read(file)).rejects.toMatchObject(matchRefusal('it is hidden'));
    await symlink(file, join(here.root, 'plain'));
    await expect(read('plain')).rejects.toMatchObject(matchRefusal('it is hidden'));
  });

  test('outside of it is given where the user lists its path, and then no link in its place matters', async () => {
    const path = join(here.folder, 'listed');
    await writeFile(path, 'value');
    here.env = { PROVISIONING_GIVEN_FILES: `/elsewhere,${path}` };
    expect([await read(path), await read('../listed')]).toEqual(['value', 'value']);
    await expect(read(`${path}2`)).rejects.toMatchObject(matchRefusal('outside'));
  });

  test('of the state of provisioning is never given', async () => {
    const path = join(here.folder, 'home', 'secrets', 'x');
    await mkdir(join(path, '..'), { recursive: true });
    await writeFile(path, 'value');
    here.env = { PROVISIONING_GIVEN_FILES: path };
    await expect(read(path)).rejects.toMatchObject(matchRefusal('keeps its own state there'));
    here.root = here.folder;
    await expect(read('home/secrets/x')).rejects.toMatchObject(matchRefusal('keeps its own state there'));
  });

  test('where the workspace is the home folder of the user, nothing in it is given', async () => {
    here.root = homedir();
    await expect(read('documents')).rejects.toMatchObject(matchRefusal('your home folder'));
  });

  test('that is none is told: a pipe, a folder, a large one, a binary one, an empty one, one that is not there', async () => {
    await promisify(execFile)('mkfifo', [join(here.root, 'pipe')]);
    await mkdir(join(here.root, 'folder'));
    await writeFile(join(here.root, 'large'), Buffer.alloc(1024 * 1024 + 1, 'x'));
    await writeFile(join(here.root, 'binary'), Buffer.of(0xff, 0xfe, 0x00));
    await writeFile(join(here.root, 'empty'), '\n');
    const why = async (file: string) => read(file).catch((error) => error.details.why);
    expect([
      await why('pipe'),
      await why('folder'),
      await why('large'),
      await why('binary'),
      await why('empty'),
      await why('gone'),
    ]).toEqual([
      'it is not a regular file',
      'it is not a regular file',
      'it is larger than 1 MiB',
      'it is not a text file',
      'it is empty',
      'the file does not exist',
    ]);
  });

  test.skipIf(process.getuid?.() === 0)('that may not be read is told', async () => {
    await writeFile(join(here.root, 'closed'), 'x');
    await chmod(join(here.root, 'closed'), 0);
    await expect(read('closed')).rejects.toMatchObject(matchRefusal('it may not be read'));
  });
});

/** Answers like a key-value engine of version 2 (https://developer.hashicorp.com/vault/api-docs/secret/kv/kv-v2). */
async function startVault(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const server: Server = createServer(answer);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as { port: number };
  return { address: `http://127.0.0.1:${port}`, stop: () => new Promise((done) => server.close(done)) };
}

describe('a secret in Vault', () => {
  const read = (vault: string, workspace = 'default') => vaultReference.read({ vault }, here.place(workspace));
  const asked: { url?: string; token?: unknown; namespace?: unknown }[] = [];
  let vault: Awaited<ReturnType<typeof startVault>>;
  beforeEach(async () => {
    asked.length = 0;
    vault = await startVault(({ url, headers }, response) => {
      asked.push({ url, token: headers['x-vault-token'], namespace: headers['x-vault-namespace'] });
      if (headers['x-vault-token'] !== 'hvs.shop') response.statusCode = 403;
      else if (url === '/v1/secret/data/shop/moved') response.writeHead(307, { location: 'http://127.0.0.1:1/x' });
      else if (url === '/v1/secret/data/shop/busy') response.statusCode = 503;
      else if (url !== '/v1/secret/data/shop/db') response.statusCode = 404;
      response.end(
        response.statusCode === 200
          ? JSON.stringify({ data: { data: { password: 'hunter2', port: 5 }, metadata: { version: 3 } } })
          : '{"errors":["no"]}',
      );
    });
    await here.set('vault/address', vault.address);
    await here.set('vault/token', 'hvs.shop');
  });
  afterEach(() => vault.stop());

  test('is read with the token of the workspace', async () => {
    expect(await read('secret/shop/db#password')).toBe('hunter2');
    expect(asked).toEqual([{ url: '/v1/secret/data/shop/db', token: 'hvs.shop', namespace: undefined }]);
    await here.set('vault/namespace', 'team');
    await read('secret/shop/db#password');
    expect(asked[1]?.namespace).toBe('team');
  });

  test('is not read with what this process, another workspace or all of them have', async () => {
    here.env = { VAULT_TOKEN: 'hvs.shop', VAULT_ADDR: vault.address, PROVISIONING_SECRET_VAULT_TOKEN: 'hvs.shop' };
    await useSecrets(here.context(), async (store) => {
      await store.set('vault/token', 'hvs.shop');
      await store.set('vault/address', vault.address);
    });
    await expect(read('secret/shop/db#password', 'other')).rejects.toMatchObject(
      matchRefusal('for the workspace other', 'given-credentials'),
    );
    expect(asked).toEqual([]);
  });

  test('that cannot be read is told, and no value', async () => {
    const why = async (text: string) => read(text).catch((error) => error);
    expect(await why('secret/shop/db#user')).toMatchObject(matchRefusal('no field "user"', 'given-missing'));
    expect(await why('secret/shop/db#constructor')).toMatchObject(matchRefusal('no field', 'given-missing'));
    expect(await why('secret/shop/db#port')).toMatchObject(matchRefusal('is not a text', 'given-missing'));
    expect(await why('secret/shop/gone#x')).toMatchObject(matchRefusal('there is no such secret', 'given-missing'));
    expect(await why('secret/shop/busy#x')).toMatchObject({
      details: { code: 'given-unreachable', why: 'it answers with status 503' },
    });
    expect(await why('secret/shop/moved#x')).toMatchObject({ details: { code: 'given-unreachable' } });
    await here.set('vault/token', 'hvs.other');
    expect(await why('secret/shop/db#password')).toMatchObject(matchRefusal('may not read it', 'given-missing'));
    await vault.stop();
    const error = await why('secret/shop/db#password');
    expect(error).toMatchObject({ details: { code: 'given-unreachable', blame: 'weather' } });
    expect(JSON.stringify(error.details)).not.toContain('hvs.');
  });

  test.each(['http://vault.example:8200', 'ftp://127.0.0.1', 'not an address', 'http://127.0.0.1.evil.example'])(
    'no token goes to %s',
    async (address) => {
      await here.set('vault/address', address);
      await expect(read('secret/shop/db#password')).rejects.toMatchObject(matchRefusal('does not use https', 'given-credentials'));
    },
  );

  test.each(['secret/../sys/raw#x', 'secret#x', '/secret/x#y', 'secret/x', 'secret/a b#x', 'secret/x?y=1#z', 'secret/%2e%2e/x#y'])(
    '%s is no reference',
    (text) => {
      expect(vaultReference.shape.safeParse({ vault: text }).success).toBe(false);
    },
  );
});

describe.skipIf(await whyNoMoto())('a secret of AWS', () => {
  const read = (text: string, workspace = 'default') => awsSecretReference.read({ 'aws-secret': text }, here.place(workspace));

  test('is read with the credentials of the workspace, and with no others', async () => {
    const moto = await startMoto();
    try {
      const { CreateSecretCommand, SecretsManagerClient } = await import('@aws-sdk/client-secrets-manager');
      const credentials = { accessKeyId: 'id', secretAccessKey: 'key' };
      const client = new SecretsManagerClient({ region: 'eu-west-1', endpoint: moto.url, credentials });
      await client.send(new CreateSecretCommand({ Name: 'shop/db', SecretString: '{"password":"hunter2"}' }));
      await client.send(new CreateSecretCommand({ Name: 'shop/plain', SecretString: 'whole' }));
      client.destroy();
      here.env = { AWS_ACCESS_KEY_ID: 'x', AWS_SECRET_ACCESS_KEY: 'y', AWS_REGION: 'eu-west-1', AWS_ENDPOINT_URL: moto.url };
      await expect(read('shop/plain')).rejects.toMatchObject(matchRefusal('the secret is not set', 'given-credentials'));
      for (const [name, value] of Object.entries({
        'access-key-id': 'id',
        'secret-access-key': 'key',
        region: 'eu-west-1',
        endpoint: moto.url,
      }))
        await here.set(`aws-secrets/${name}`, value);
      expect([await read('shop/plain'), await read('shop/db#password')]).toEqual(['whole', 'hunter2']);
      await expect(read('shop/db#user')).rejects.toMatchObject(matchRefusal('no field "user"', 'given-missing'));
      await expect(read('shop/plain#x')).rejects.toMatchObject(matchRefusal('no field "x"', 'given-missing'));
      await expect(read('shop/gone')).rejects.toMatchObject(matchRefusal('there is no such secret', 'given-missing'));
      await expect(read('shop/plain', 'other')).rejects.toMatchObject(matchRefusal('for the workspace other', 'given-credentials'));
    } finally {
      await moto.stop();
    }
    await expect(read('shop/plain')).rejects.toMatchObject({ details: { code: 'given-unreachable', blame: 'weather' } });
  });
});
