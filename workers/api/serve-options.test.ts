import { X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { readCertificate } from '../../api/listen/certificate.js';
import { homeOf } from '../../home/home.js';
import { certificatesIn, keysIn, makeCertificate } from '../../secrets/generate/certificates.js';
import { ensureOwnCertificate, keepOwnCertificate } from './own-certificate.js';
import { parseServeOptions } from './serve-options.js';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'provisioning-serve-'));
});
afterAll(() => rm(root, { recursive: true }));

test('options have defaults that only this machine reaches', () => {
  expect(parseServeOptions([])).toEqual({
    address: { host: '127.0.0.1', port: 8443 },
    hostNames: [],
    http: false,
    code: true,
    withParent: false,
  });
  expect(
    parseServeOptions(['--listen=0.0.0.0:1', '--certificate=a', '--key=b', '--host-name=API.example.org', '--host-name=b']),
  ).toEqual({
    address: { host: '0.0.0.0', port: 1 },
    hostNames: ['api.example.org', 'b'],
    http: false,
    code: true,
    withParent: false,
    files: { certificate: 'a', key: 'b' },
  });
});

test('the command has it end with itself', () => {
  expect(parseServeOptions(['--with-parent'])).toMatchObject({ withParent: true });
});

test.each([
  ['plain HTTP for other machines', ['--http', '--listen=0.0.0.0:1']],
  ['a certificate of the home for other machines', ['--listen=0.0.0.0:1']],
  ['a certificate without a key', ['--certificate=a']],
  ['plain HTTP with a certificate', ['--http', '--certificate=a', '--key=b']],
  ['a name that is none', ['--host-name=a b']],
  ['an unknown option', ['--cert=a']],
  ['an argument', ['now']],
])('%s is refused', (_, args) => {
  expect(() => parseServeOptions(args)).toThrow(/cannot (start the API server|read --listen)/);
});

test('a home makes a certificate once, and again for another name; what clients trust stays', async () => {
  const home = homeOf({ PROVISIONING_HOME: root });
  const files = await ensureOwnCertificate(home, []);
  const first = await readCertificate(files);
  expect((await stat(files.key)).mode & 0o777).toBe(0o600);
  await ensureOwnCertificate(home, []);
  expect(await readCertificate(files)).toEqual(first);
  const trusted = await readFile(files.authority, 'utf8');
  await ensureOwnCertificate(home, ['api.example.org']);
  expect(await readCertificate(files)).not.toEqual(first);
  expect(await readFile(files.authority, 'utf8')).toBe(trusted);
  expect(trusted).not.toContain('PRIVATE');
});

test('a certificate that ends soon is renewed while the server runs, and one that is cut in two is made again', async () => {
  const home = homeOf({ PROVISIONING_HOME: join(root, 'renewed') });
  const files = await ensureOwnCertificate(home, []);
  const trusted = await readFile(files.authority, 'utf8');
  const authority = await readFile(join(home.engine, 'api/authority-key.pem'), 'utf8');
  const short = makeCertificate(authority, ['localhost', '127.0.0.1', '::1'], 29);
  await writeFile(files.key, keysIn(short)[0] ?? '');
  await writeFile(files.certificate, certificatesIn(short)[0] ?? '');
  const stop = keepOwnCertificate(home, [], () => {}, 5);
  await vi.waitFor(async () => {
    const { cert } = await readCertificate(files);
    expect(Date.parse(new X509Certificate(cert).validTo) - Date.now()).toBeGreaterThan(300 * 86_400_000);
  }, 20_000);
  stop();
  expect(await readFile(files.authority, 'utf8')).toBe(trusted);

  await writeFile(files.key, keysIn(short)[0] ?? '');
  await expect(readCertificate(files)).rejects.toMatchObject({ details: { code: 'bad-certificate' } });
  await ensureOwnCertificate(home, []);
  await readCertificate(files);
});
