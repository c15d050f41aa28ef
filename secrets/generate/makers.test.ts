import { X509Certificate } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Recipe } from '../../core/schema/recipe.js';
import { FileSecretStore } from '../../stores/files/file-secret-store.js';
import { testText } from '../../test/support/private-text.js';
import { infraSecrets } from '../infra-secrets.js';
import { certificatesIn, makeAuthority, makeCertificate } from './certificates.js';
import { createMaker } from './makers.js';

const SHOP = { workspace: 'w', infra: 'shop' };
const NAMES = ['db.internal', '*.shop.internal', '10.0.0.7', 'fd00::1:7', '::ffff:10.0.0.1'];
let folder: string;
let store: FileSecretStore;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'makers-'));
  store = new FileSecretStore(join(folder, 'secrets'), {}, testText);
});
afterEach(() => rm(folder, { recursive: true }));

const give = (name: string) => infraSecrets(store, SHOP, {}, () => ({ operation: 'op', host: 'web-1' })).give(name);
const ensure = async (name: string, recipe: Recipe) => store.ensureGenerated(name, await createMaker(store, name, recipe));

test.each([
  ['generated/w/shop/redis.password', /^[A-Za-z0-9_-]{32}$/],
  ['generated/w/shop/password-40/redis.password', /^[A-Za-z0-9_-]{40}$/],
  ['generated/w/shop/token-64/api', /^[0-9a-f]{64}$/],
  ['generated/w/shop/token-21/api', /^[0-9a-f]{21}$/],
])('a worker makes %s by its name, once', async (name, form) => {
  const made = await give(name);
  expect(made).toMatch(form);
  expect(await give(name)).toBe(made);
  expect((await store.history(name)).map(({ version }) => version)).toEqual([1]);
});

test('both halves of an SSH key are of one pair, which ssh-keygen reads', async () => {
  const kept = 'generated/w/shop/ssh-key/deploy';
  const [secret = '', known = ''] = [await give(`${kept}/private`), await give(`${kept}/public`)];
  await writeFile(join(folder, 'key'), secret, { mode: 0o600 });
  const { stdout } = await execa('ssh-keygen', ['-y', '-f', join(folder, 'key')]);
  expect(known.split(' ').slice(0, 2)).toEqual(stdout.split(' ').slice(0, 2));
  expect(known).toMatch(/^ssh-ed25519 \S+ w\/shop\/ssh-key\/deploy\n$/);
});

describe('a certificate', () => {
  const kept = 'generated/w/shop/certificate/db';
  const parts = async () => ({
    bundle: (await give(`${kept}/bundle`)) ?? '',
    certificate: (await give(`${kept}/certificate`)) ?? '',
    key: (await give(`${kept}/key`)) ?? '',
    authority: (await give(`${kept}/authority`)) ?? '',
  });

  test('is of its authority, for its names, for as long as it says', async () => {
    await ensure(kept, { generate: 'certificate', ca: 'internal', names: NAMES, days: 30 });
    const { certificate, authority, key, bundle } = await parts();
    expect(await give('generated/w/shop/ca/internal/certificate')).toBe(authority);
    const [own, issuer] = [new X509Certificate(certificate), new X509Certificate(authority)];
    expect([own.verify(issuer.publicKey), own.checkIssued(issuer), issuer.ca, own.ca]).toEqual([true, true, true, false]);
    for (const name of ['db.internal', 'a.shop.internal']) expect(own.checkHost(name)).toBeDefined();
    for (const address of ['10.0.0.7', 'fd00::1:7', '::ffff:10.0.0.1']) expect(own.checkIP(address)).toBeDefined();
    expect([own.checkHost('other.internal'), own.checkIP('10.0.0.8')]).toEqual([undefined, undefined]);
    expect(Math.round((Date.parse(own.validTo) - Date.now()) / 86_400_000)).toBe(30);
    expect(bundle).toBe(`${certificate}${key}`);
    expect(certificatesIn(certificate + authority)).toHaveLength(2);
  });

  test('ends with its authority, and takes no second one as made', async () => {
    await ensure('generated/w/shop/ca/internal', { generate: 'ca', name: 'internal', days: 10 });
    await ensure(kept, { generate: 'certificate', ca: 'internal', names: ['db.internal'], days: 365 });
    const { certificate, authority } = await parts();
    expect(new X509Certificate(certificate).validTo).toBe(new X509Certificate(authority).validTo);
    await ensure(kept, { generate: 'certificate', ca: 'internal', names: ['db.internal'], days: 5 });
    expect((await parts()).certificate).toBe(certificate);
  });

  test('is good for OpenSSL and for a TLS connection, and another authority trusts it not', async () => {
    await ensure(kept, { generate: 'certificate', ca: 'internal', names: NAMES });
    const { certificate, authority, key } = await parts();
    await writeFile(join(folder, 'ca.pem'), authority);
    await writeFile(join(folder, 'own.pem'), certificate);
    const args = ['-x509_strict', '-purpose', 'sslserver', '-verify_hostname', 'db.internal'];
    const { stdout } = await execa('openssl', ['verify', ...args, '-CAfile', join(folder, 'ca.pem'), join(folder, 'own.pem')]);
    expect(stdout).toContain('own.pem: OK');

    const server = createServer({ cert: certificate, key }, (socket) => socket.end('hello'));
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as { port: number };
    const answer = (ca: string) =>
      new Promise<string>((done, fail) => {
        const socket: TLSSocket = connect({ port, host: '127.0.0.1', servername: 'db.internal', ca });
        socket.on('data', (data) => done(String(data)));
        socket.on('error', fail);
      });
    expect(await answer(authority)).toBe('hello');
    await expect(answer(makeAuthority('internal', 10))).rejects.toThrow();
    await new Promise((done) => server.close(done));
  });

  test('that is not made yet is not made by a worker, which does not know its names', async () => {
    expect(await give(`${kept}/key`)).toBeUndefined();
    expect(await store.list()).toEqual([]);
  });

  test.each(['generated/w/shop/ca/internal', 'generated/w/shop/ca/internal/key', 'generated/w/shop/ca/internal/bundle'])(
    'no definition is given the key of an authority: %s',
    async (name) => {
      await ensure('generated/w/shop/ca/internal', { generate: 'ca', name: 'internal' });
      await expect(give(name)).rejects.toMatchObject({ details: { code: 'secret-out-of-reach', blame: 'user' } });
    },
  );

  test.each([
    'generated/w/shop/certificate/db',
    'generated/w/shop/certificate/db/other',
    'generated/w/shop/certificate/db/constructor',
  ])('what is no part of it is not given: %s', async (name) => {
    await ensure(kept, { generate: 'certificate', ca: 'internal', names: ['db.internal'] });
    if (name === kept) expect(await give(name)).toContain('PRIVATE KEY');
    else await expect(give(name)).rejects.toMatchObject({ details: { code: 'secret-out-of-reach' } });
  });
});

test('many certificates in a row are good, whatever the bytes of their keys are', () => {
  const authority = makeAuthority('a', 10);
  const { publicKey } = new X509Certificate(authority.slice(authority.indexOf('-----BEGIN CERT')));
  for (let count = 0; count < 100; count++)
    expect(new X509Certificate(certificatesIn(makeCertificate(authority, ['x.y'], 1))[0] ?? '').verify(publicKey)).toBe(true);
});

test('years from 2050 are written as X.509 wants it', () => {
  const { validTo } = new X509Certificate(certificatesIn(makeAuthority('a', 365 * 30))[0] ?? '');
  expect(new Date(validTo).getUTCFullYear()).toBeGreaterThan(2050);
});
