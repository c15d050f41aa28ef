import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadDefinition } from '../../definition/load-definition.js';
import { problemText } from '../../definition/source/problem.js';
import { homeOf } from '../../home/home.js';
import { certificatesIn, keysIn, makeAuthority, makeCertificate } from '../../secrets/generate/certificates.js';
import { noEngine, useSecrets } from '../../test/support/home-secrets.js';
import type { Context } from '../context.js';
import { DefinitionError } from '../definition/definition-error.js';
import { registriesFor } from '../modules/registries.js';
import { GIVEN_KINDS } from './kinds.js';
import { readGiven } from './with-given.js';

let folder: string;
let context: Context;
const authority = makeAuthority('shop', 30);
const [one, other] = [makeCertificate(authority, ['a.example.org'], 9), makeCertificate(authority, ['b.example.org'], 9)];
const [certificate = ''] = certificatesIn(one);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pairs-'));
  const home = homeOf({ PROVISIONING_HOME: join(folder, 'home') });
  context = {
    env: {},
    home,
    workspace: 'default',
    actor: 'ann',
    client: noEngine,
    note: () => {},
  };
  await writeFile(join(folder, 'provisioning.yaml'), 'name: default\n');
  const files = { 'a.pem': certificate, 'a.key': keysIn(one)[0] ?? '', 'b.key': keysIn(other)[0] ?? '' };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  await useSecrets(context, async (store) => {
    await store.within({ workspace: 'default' }).set('kept-certificate', certificate);
    await store.within({ workspace: 'default' }).set('kept-key', keysIn(one)[0] ?? '');
    await store.within({ workspace: 'default' }).set('other-key', keysIn(other)[0] ?? '');
  });
});
afterAll(() => rm(folder, { recursive: true }));

/** Returns the problems of a definition whose haproxy has this certificate and this key. */
async function told(of: string, key: string, service = 'haproxy'): Promise<string[]> {
  const file = join(folder, 'shop.yaml');
  const tls = `tls:\n      certificate: ${of}\n      key: ${key}\n`;
  await writeFile(
    file,
    `infra: shop\nprovider: demo\nservers: [{ name: web }]\ntaskservs:\n  - name: ${service}\n    config:\n      ${tls.replaceAll('\n      ', '\n        ')}`,
  );
  const secretNames = { has: () => true };
  const loaded = await loadDefinition(file, {
    ...{ workspace: 'default', registries: await registriesFor(context, file), secretNames },
    referenceKinds: GIVEN_KINDS,
  });
  if (!loaded.definition) throw new Error(JSON.stringify(loaded.problems));
  const error = await readGiven(context, loaded).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error === undefined) return [];
  if (!(error instanceof DefinitionError)) throw error;
  expect(error.details.code).toBe('bad-certificate');
  return error.problems.map((problem) => problemText({ ...problem, file: 'shop.yaml' }));
}

const CONFIG = 'taskservs[0].config.tls';

test('fields of these names of a taskserv of the workspace may hold anything', async () => {
  await mkdir(join(folder, 'taskservs/keystore'), { recursive: true });
  await writeFile(
    join(folder, 'taskservs/keystore/keystore.ts'),
    `import { defineTaskserv, ensureFile, ensureNoFile, file, secret } from 'provisioning/sdk';
import * as z from 'zod';
export const keystore = defineTaskserv({
  name: 'keystore', category: 'system', description: 'Holds a certificate as PKCS#12.',
  versions: { default: '1', supported: ['1'], source: 'debian' },
  config: z.strictObject({
    tls: z.strictObject({
      certificate: secret().describe('Certificate and key, PKCS#12'), key: secret().describe('Its passphrase'),
    }),
  }),
  facts: () => ({ store: file('/etc/keystore') }),
  installed: (found) => (found.store.exists ? '1' : undefined),
  plan: ({ tls }, found) => ensureFile(found.store, { content: [tls.certificate, tls.key], mode: '0600' }),
  health: () => [{ title: 'it is there', command: 'test -f /etc/keystore' }],
  remove: (_, found) => ensureNoFile(found.store),
});
`,
  );
  await writeFile(join(folder, 'store.p12'), 'cGtjczEy');
  await writeFile(join(folder, 'passphrase'), 'a horse');
  expect(await told('{ file: store.p12 }', '{ file: passphrase }', 'keystore')).toEqual([]);
  // The platform's own services are still checked.
  expect(await told('{ file: store.p12 }', '{ file: passphrase }')).toEqual([
    `shop.yaml:8:22: ${CONFIG}.certificate: "haproxy" cannot use the certificate: it has no certificate in PEM`,
  ]);
});

test.each(['haproxy', 'nginx', 'redis', 'vault'])(
  'a certificate of %s and its key are compared before anything is asked',
  async (service) => {
    expect(await told('{ file: a.pem }', '{ file: a.key }', service)).toEqual([]);
    expect(await told('{ file: a.pem }', '{ file: b.key }', service)).toEqual([
      `shop.yaml:9:14: ${CONFIG}.key: "${service}" cannot use the certificate: the key does not belong to the certificate`,
    ]);
  },
);

test('those that are kept are compared too, and with those beside the file', async () => {
  expect(await told('{ secret: kept-certificate }', '{ secret: kept-key }')).toEqual([]);
  expect(await told('{ file: a.pem }', '{ secret: kept-key }')).toEqual([]);
  expect(await told('{ secret: kept-certificate }', '{ secret: other-key }')).toEqual([
    `shop.yaml:9:14: ${CONFIG}.key: "haproxy" cannot use the certificate: the key does not belong to the certificate`,
  ]);
  expect(await told('{ secret: kept-key }', '{ secret: kept-key }')).toEqual([
    `shop.yaml:8:22: ${CONFIG}.certificate: "haproxy" cannot use the certificate: it has no certificate in PEM`,
  ]);
  // A secret that is not set yet is not a problem of the pair.
  expect(await told('{ secret: kept-certificate }', '{ secret: later }')).toEqual([]);
});
