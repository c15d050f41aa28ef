import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findSecretRefs } from '../../core/taskserv/secret.js';
import { loadFiles } from '../../definition/fixtures.js';
import { homeOf } from '../../home/home.js';
import { infraSecrets } from '../../secrets/infra-secrets.js';
import { startMoto, whyNoMoto } from '../../test/clouds/aws/moto.js';
import type { Context } from '../context.js';
import { sourceFrom, withSecrets } from '../definition/definitions.js';
import { awsSecretReference } from './aws-secret.js';
import { envReference } from './env.js';
import { fileReference } from './file.js';
import { GIVEN_KINDS } from './kinds.js';
import { vaultReference } from './vault.js';
import { withGiven } from './with-given.js';

let folder: string;
let root: string;
let env: NodeJS.ProcessEnv;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'given-kinds-'));
  root = join(folder, 'shop');
  env = {};
  await mkdir(root);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const contextOf = (workspace = 'default'): Context => ({
  ...{ env, workspace, actor: 'ann' },
  home: homeOf({ PROVISIONING_HOME: join(folder, 'home') }),
  client: () => Promise.reject(new Error('nobody is asked')),
  note: () => {},
});
const placeOf = (workspace = 'default') => ({
  context: contextOf(workspace),
  root,
  ownSecret: (name: string) => withSecrets(contextOf(), (store) => store.within({ workspace }).get(name)),
});
const set = (name: string, value: string, workspace = 'default') =>
  withSecrets(contextOf(), (store) => store.within({ workspace }).set(name, value));
const refusedFor = (why: string, code = 'given-refused') => ({
  details: { code, blame: 'user', why: expect.stringContaining(why) },
});

describe('a variable', () => {
  const read = (name: string) => envReference.read({ env: name }, placeOf());

  test('is given where the user lists it, and no other', async () => {
    env = {
      DB_PASSWORD: 'hunter2',
      AWS_SECRET_ACCESS_KEY: 'key',
      EMPTY: '',
      PROVISIONING_GIVEN_ENV: 'OTHER, DB_PASSWORD,EMPTY,GONE',
    };
    expect(await read('DB_PASSWORD')).toBe('hunter2');
    await expect(read('AWS_SECRET_ACCESS_KEY')).rejects.toMatchObject(refusedFor('definitions are not given it'));
    await expect(read('DB_PASS')).rejects.toMatchObject(refusedFor('not given it'));
    for (const name of ['EMPTY', 'GONE']) await expect(read(name)).rejects.toMatchObject(refusedFor('not set, or empty'));
  });
});

describe('a file', () => {
  const read = (file: string) => fileReference.read({ file }, placeOf());

  test('of the workspace is given without its last line break', async () => {
    await mkdir(join(root, 'keys'));
    await writeFile(join(root, 'keys', 'app.pem'), 'one\ntwo\r\n');
    await symlink('keys/app.pem', join(root, 'link.pem'));
    expect([await read('keys/app.pem'), await read('link.pem')]).toEqual(['one\ntwo', 'one\ntwo']);
  });

  test.each(['../other/id_rsa', 'sub/../../other/id_rsa', '/etc/passwd', '..', '.'])(
    'outside of it is not given: %s',
    async (file) => {
      await mkdir(join(folder, 'other'));
      await writeFile(join(folder, 'other', 'id_rsa'), 'private');
      await expect(read(file)).rejects.toMatchObject(refusedFor('outside of the folder of the workspace'));
    },
  );

  test('whether there is one outside, it does not say', async () => {
    await writeFile(join(folder, 'there'), 'x');
    const tell = (file: string) => read(file).catch((error) => error.details.why);
    expect(await tell('../there')).toBe(await tell('../gone'));
  });

  test('a link, or a folder that is a link, leads nowhere else', async () => {
    await mkdir(join(folder, 'other'));
    await writeFile(join(folder, 'other', 'id_rsa'), 'private');
    await symlink('../other/id_rsa', join(root, 'key'));
    await symlink('../other', join(root, 'keys'));
    for (const file of ['key', 'keys/id_rsa'])
      await expect(read(file)).rejects.toMatchObject(refusedFor('it is a link to outside'));
  });

  test.each(['.git/config', '.env', 'sub/.aws/credentials'])('that is hidden is not given: %s', async (file) => {
    await mkdir(join(root, file, '..'), { recursive: true });
    await writeFile(join(root, file), 'token');
    await expect(read(file)).rejects.toMatchObject(refusedFor('it is hidden'));
    await symlink(file, join(root, 'plain'));
    await expect(read('plain')).rejects.toMatchObject(refusedFor('it is hidden'));
  });

  test('outside of it is given where the user lists its path, and then no link in its place matters', async () => {
    const path = join(folder, 'listed');
    await writeFile(path, 'value');
    env = { PROVISIONING_GIVEN_FILES: `/elsewhere,${path}` };
    expect([await read(path), await read('../listed')]).toEqual(['value', 'value']);
    await expect(read(`${path}2`)).rejects.toMatchObject(refusedFor('outside'));
  });

  test('of the state of provisioning is never given', async () => {
    const path = join(folder, 'home', 'secrets', 'x');
    await mkdir(join(path, '..'), { recursive: true });
    await writeFile(path, 'value');
    env = { PROVISIONING_GIVEN_FILES: path };
    await expect(read(path)).rejects.toMatchObject(refusedFor('state of provisioning'));
    root = folder;
    await expect(read('home/secrets/x')).rejects.toMatchObject(refusedFor('state of provisioning'));
  });

  test('where the workspace is the home folder of the user, nothing in it is given', async () => {
    root = homedir();
    await expect(read('documents')).rejects.toMatchObject(refusedFor('your home folder'));
  });

  test('that is none is told: a pipe, a folder, a large one, a binary one, an empty one, one that is not there', async () => {
    await promisify(execFile)('mkfifo', [join(root, 'pipe')]);
    await mkdir(join(root, 'folder'));
    await writeFile(join(root, 'large'), Buffer.alloc(1024 * 1024 + 1, 'x'));
    await writeFile(join(root, 'binary'), Buffer.of(0xff, 0xfe, 0x00));
    await writeFile(join(root, 'empty'), '\n');
    const why = async (file: string) => read(file).catch((error) => error.details.why);
    expect([
      await why('pipe'),
      await why('folder'),
      await why('large'),
      await why('binary'),
      await why('empty'),
      await why('gone'),
    ]).toEqual([
      'it is no plain file',
      'it is no plain file',
      'it is larger than 1 MiB',
      'it is no text',
      'it is empty',
      'there is no such file',
    ]);
  });

  test.skipIf(process.getuid?.() === 0)('that may not be read is told', async () => {
    await writeFile(join(root, 'closed'), 'x');
    await chmod(join(root, 'closed'), 0);
    await expect(read('closed')).rejects.toMatchObject(refusedFor('it may not be read'));
  });
});

/** Answers as the documentation of key-value engines of version 2 says (https://developer.hashicorp.com/vault/api-docs/secret/kv/kv-v2). */
async function startVault(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const server: Server = createServer(answer);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as { port: number };
  return { address: `http://127.0.0.1:${port}`, stop: () => new Promise((done) => server.close(done)) };
}

describe('a secret in Vault', () => {
  const read = (vault: string, workspace = 'default') => vaultReference.read({ vault }, placeOf(workspace));
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
    await set('vault/address', vault.address);
    await set('vault/token', 'hvs.shop');
  });
  afterEach(() => vault.stop());

  test('is read with the token of the workspace', async () => {
    expect(await read('secret/shop/db#password')).toBe('hunter2');
    expect(asked).toEqual([{ url: '/v1/secret/data/shop/db', token: 'hvs.shop', namespace: undefined }]);
    await set('vault/namespace', 'team');
    await read('secret/shop/db#password');
    expect(asked[1]?.namespace).toBe('team');
  });

  test('is not read with what this process, another workspace or all of them have', async () => {
    env = { VAULT_TOKEN: 'hvs.shop', VAULT_ADDR: vault.address, PROVISIONING_SECRET_VAULT_TOKEN: 'hvs.shop' };
    await withSecrets(contextOf(), async (store) => {
      await store.set('vault/token', 'hvs.shop');
      await store.set('vault/address', vault.address);
    });
    await expect(read('secret/shop/db#password', 'other')).rejects.toMatchObject(
      refusedFor('for the workspace other', 'given-credentials'),
    );
    expect(asked).toEqual([]);
  });

  test('that cannot be read is told, and no value', async () => {
    const why = async (text: string) => read(text).catch((error) => error);
    expect(await why('secret/shop/db#user')).toMatchObject(refusedFor('no field "user"', 'given-missing'));
    expect(await why('secret/shop/db#constructor')).toMatchObject(refusedFor('no field', 'given-missing'));
    expect(await why('secret/shop/db#port')).toMatchObject(refusedFor('is no text', 'given-missing'));
    expect(await why('secret/shop/gone#x')).toMatchObject(refusedFor('there is no such secret', 'given-missing'));
    expect(await why('secret/shop/busy#x')).toMatchObject({
      details: { code: 'given-unreachable', why: 'it answers with status 503' },
    });
    expect(await why('secret/shop/moved#x')).toMatchObject({ details: { code: 'given-unreachable' } });
    await set('vault/token', 'hvs.other');
    expect(await why('secret/shop/db#password')).toMatchObject(refusedFor('may not read it', 'given-missing'));
    await vault.stop();
    const error = await why('secret/shop/db#password');
    expect(error).toMatchObject({ details: { code: 'given-unreachable', blame: 'weather' } });
    expect(JSON.stringify(error.details)).not.toContain('hvs.');
  });

  test.each(['http://vault.example:8200', 'ftp://127.0.0.1', 'not an address', 'http://127.0.0.1.evil.example'])(
    'no token goes to %s',
    async (address) => {
      await set('vault/address', address);
      await expect(read('secret/shop/db#password')).rejects.toMatchObject(refusedFor('no https address', 'given-credentials'));
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
  const read = (text: string, workspace = 'default') => awsSecretReference.read({ 'aws-secret': text }, placeOf(workspace));

  test('is read with the credentials of the workspace, and with no others', async () => {
    const moto = await startMoto();
    try {
      const { CreateSecretCommand, SecretsManagerClient } = await import('@aws-sdk/client-secrets-manager');
      const credentials = { accessKeyId: 'id', secretAccessKey: 'key' };
      const client = new SecretsManagerClient({ region: 'eu-west-1', endpoint: moto.url, credentials });
      await client.send(new CreateSecretCommand({ Name: 'shop/db', SecretString: '{"password":"hunter2"}' }));
      await client.send(new CreateSecretCommand({ Name: 'shop/plain', SecretString: 'whole' }));
      client.destroy();
      env = { AWS_ACCESS_KEY_ID: 'x', AWS_SECRET_ACCESS_KEY: 'y', AWS_REGION: 'eu-west-1', AWS_ENDPOINT_URL: moto.url };
      await expect(read('shop/plain')).rejects.toMatchObject(refusedFor('it is not set', 'given-credentials'));
      for (const [name, value] of Object.entries({
        'access-key-id': 'id',
        'secret-access-key': 'key',
        region: 'eu-west-1',
        endpoint: moto.url,
      }))
        await set(`aws-secrets/${name}`, value);
      expect([await read('shop/plain'), await read('shop/db#password')]).toEqual(['whole', 'hunter2']);
      await expect(read('shop/db#user')).rejects.toMatchObject(refusedFor('no field "user"', 'given-missing'));
      await expect(read('shop/plain#x')).rejects.toMatchObject(refusedFor('no field "x"', 'given-missing'));
      await expect(read('shop/gone')).rejects.toMatchObject(refusedFor('there is no such secret', 'given-missing'));
      await expect(read('shop/plain', 'other')).rejects.toMatchObject(refusedFor('for the workspace other', 'given-credentials'));
    } finally {
      await moto.stop();
    }
    await expect(read('shop/plain')).rejects.toMatchObject({ details: { code: 'given-unreachable', blame: 'weather' } });
  });
});

describe('a definition', () => {
  const infra = (password: string) =>
    `infra: shop\nprovider: demo\nservers: [{ name: a, plan: small }]\ntaskservs:\n  - { name: redis, config: { password: ${password} } }\n`;

  test('has the names of what it was given, its infra the values, and no other infra or workspace', async () => {
    await writeFile(join(root, 'pw.txt'), 'from-file\n');
    env = { DB_PASSWORD: 'from-env', PROVISIONING_GIVEN_ENV: 'DB_PASSWORD' };
    for (const [text, value] of [
      ['{ file: pw.txt }', 'from-file'],
      ['{ env: DB_PASSWORD }', 'from-env'],
    ] as const) {
      await writeFile(join(root, 'shop.yaml'), infra(text));
      const definition = await withGiven(contextOf(), await sourceFrom(contextOf(), join(root, 'shop.yaml')));
      const [{ name } = { name: '' }] = findSecretRefs(definition);
      expect(JSON.stringify(definition)).not.toContain(value);
      const as = (workspace: string, infra: string) =>
        withSecrets(contextOf(), (store) =>
          infraSecrets(store, { workspace, infra }, {}, () => ({ operation: 'o', host: 'a' })).get(name),
        );
      expect([await as('default', 'shop'), await as('default', 'other'), await as('other', 'shop')]).toEqual([
        value,
        undefined,
        undefined,
      ]);
    }
  });

  test.each(['vault/token', 'vault/address', 'aws-secrets/secret-access-key'])('is not given %s', async (name) => {
    const { problems } = await loadFiles({ 'infra.yaml': infra(`{ secret: ${name} }`) });
    expect(problems.map(({ message }) => message)).toContainEqual(expect.stringContaining('for who submits alone'));
    await set(name, 'x');
    const worker = withSecrets(contextOf(), (store) =>
      infraSecrets(store, { workspace: 'default', infra: 'shop' }, {}, () => ({ operation: 'o', host: 'a' })).give(name),
    );
    await expect(worker).rejects.toMatchObject({ details: { code: 'secret-out-of-reach' } });
  });

  test.each([
    ['{ env: "A B" }', 'this is no name of a variable', '{ env: NAME }'],
    ['{ file: "" }', 'a file is named by its path', '{ file: PATH }'],
    ['{ vault: x }', 'it is written MOUNT/PATH#FIELD', '{ vault: MOUNT/PATH#FIELD }'],
    ['{ aws-secret: "a b" }', 'it is written NAME', '{ aws-secret: NAME#FIELD }'],
  ])('that says %s is told at its place', async (text, message, form) => {
    const { problems } = await loadFiles({ 'infra.yaml': infra(text) }, {}, GIVEN_KINDS);
    expect(problems[0]).toMatchObject({ line: 5, message: expect.stringContaining(message), suggestion: `write ${form}` });
  });
});
