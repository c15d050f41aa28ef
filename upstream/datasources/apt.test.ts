import { gzipSync } from 'node:zlib';
import { execa } from 'execa';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { aptRepository, makeSigningKey, type SigningKey } from '../../test/support/mirror/apt-repository.js';
import { sha256Of } from '../../test/support/mirror/mirror.js';
import { serveVendor, type Vendor } from '../../test/support/vendor/vendor.js';
import { createWeb } from '../asking/web.js';
import { aptListsBy } from './apt-lists.js';
import { listHeldByArchives, lookAtDebian } from './debian.js';
import type { ListLookup, Part } from './part.js';
import { lookAtVendorApt } from './vendor-apt.js';

let key: SigningKey;
let other: SigningKey;
let vendor: Vendor;
beforeAll(async () => {
  [key, other] = await Promise.all([makeSigningKey(), makeSigningKey()]);
}, 60_000);
beforeEach(async () => {
  vendor = await serveVendor();
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await vendor.close();
});

const looking = (kept: Part[] = []): ListLookup => {
  const mirrors = [vendor.mirror('https://apt.vendor.example', 'apt'), vendor.mirror('https://deb.debian.org', 'deb')];
  const web = createWeb({ mirrors, silentMs: 60_000 });
  return { web, lists: aptListsBy(web), kept, supported: ['2.0'] };
};
const source = (by: SigningKey) => ({
  ...{ name: 'vendor', uri: 'https://apt.vendor.example', suite: '{codename}', components: ['main'], packages: ['thing'] },
  ...{ key: by.public, fingerprint: by.fingerprint },
});
const look = (by: SigningKey, more: { kept?: Part[]; versionPattern?: string } = {}) =>
  lookAtVendorApt(
    {
      ...{ datasource: 'vendor-apt' as const, source: 'vendor', package: 'thing' },
      ...(more.versionPattern !== undefined && { versionPattern: more.versionPattern }),
    },
    [source(by)],
    looking(more.kept),
  );
const versionsOf = (parts: Part[]) => parts.map(({ versions }) => versions.map(({ version }) => version));

/** Serves a suite with these versions of `thing`, signed by this key. */
async function serve(at: string, suite: string, versions: readonly string[], by: SigningKey): Promise<void> {
  const packages = versions.map((version) => ({ name: 'thing', version, files: {} }));
  for (const [path, body] of await aptRepository({ suite, component: 'main' }, packages, by)) {
    vendor.answers.set(`/${at}${path}`, { body, headers: { etag: `"${sha256Of(body)}"` } });
  }
}

/** Replaces the Release of a suite, and signs it again. */
async function resign(release: string, at: string, by: SigningKey): Promise<void> {
  const { createCleartextMessage, sign } = await import('openpgp');
  const message = await createCleartextMessage({ text: release });
  const date = new Date(Date.now() - 60_000);
  vendor.answers.set(at, { body: await sign({ message, signingKeys: by.private, date }) });
}

test('a package is looked for in each suite that there is; pre-releases do not count', async () => {
  await serve('apt', 'bookworm', ['2.0.1-1', '2.1.0-1', '2.2.0~rc1-1', '1:3.0.0+beta1-1'], key);
  const parts = await look(key);
  expect(versionsOf(parts)).toEqual([['3.0.0', '2.1.0', '2.0.1']]);
  expect(parts[0]).not.toHaveProperty('remark');
});

test('the version of ours may be a part of that of the package', async () => {
  await serve('apt', 'bookworm', ['20.10.24~3-0~debian-bookworm'], key);
  expect(versionsOf(await look(key, { versionPattern: '^(?<version>[0-9.]+)~' }))).toEqual([['20.10.24']]);
});

test('what has not changed is not fetched again', async () => {
  await serve('apt', 'bookworm', ['2.0.1-1'], key);
  const kept = await look(key);
  vendor.asked.length = 0;
  expect(await look(key, { kept })).toEqual(kept);
  expect(vendor.asked.map(({ url }) => url)).not.toContain('/apt/dists/bookworm/main/binary-amd64/Packages');
});

test('what another key signed is refused, and so is what was changed', async () => {
  await serve('apt', 'bookworm', ['2.0.1-1'], other);
  await expect(look(key)).rejects.toMatchObject({ details: { code: 'versions-not-genuine', why: /signed by another key/ } });
  await serve('apt', 'bookworm', ['2.0.1-1'], key);
  const at = '/apt/dists/bookworm/InRelease';
  const text = String(vendor.answers.get(at)?.body);
  vendor.answers.set(at, { body: text.replace('Label: Stand-in', 'Label: stand-in') });
  await expect(look(key)).rejects.toMatchObject({ details: { code: 'versions-not-genuine', why: /does not match its content/ } });
  vendor.answers.set(at, { body: '<html>Please log in</html>' });
  await expect(look(key)).rejects.toMatchObject({ details: { code: 'versions-not-genuine', why: 'it is not signed' } });
});

test('a key that has expired is told', async () => {
  const expired = await makeSigningKey({ expired: true });
  await serve('apt', 'bookworm', ['2.0.1-1'], expired);
  await expect(look(expired)).rejects.toMatchObject({ details: { code: 'versions-not-genuine', why: /expired/ } });
});

test('a list that its Release does not name is refused', async () => {
  await serve('apt', 'bookworm', ['2.0.1-1'], key);
  const at = '/apt/dists/bookworm/main/binary-amd64/Packages';
  const body = String(vendor.answers.get(at)?.body).replace('2.0.1', '2.0.2');
  vendor.answers.set(at, { body });
  await expect(look(key)).rejects.toMatchObject({ details: { code: 'versions-not-genuine', why: /Release lists/ } });
});

test('what lies around the signed text does not count', async () => {
  await serve('apt', 'bookworm', ['2.0.1-1'], key);
  const at = '/apt/dists/bookworm/InRelease';
  const evil = `SHA256:\n ${'0'.repeat(64)} 1 main/binary-amd64/Packages.gz\n`;
  vendor.answers.set(at, { body: `${evil}\n${vendor.answers.get(at)?.body}` });
  await expect(look(key)).resolves.toMatchObject([{ versions: [{ version: '2.0.1' }] }]);
});

test('without gpgv the answer says that nobody verified it', async () => {
  await serve('apt', 'bookworm', ['2.0.1-1'], key);
  vi.stubEnv('PATH', '/nowhere');
  expect(await look(key)).toMatchObject([
    { versions: [{ version: '2.0.1' }], remark: 'its signature was not verified: gpgv is not installed here' },
  ]);
});

test.each(['.gz', '.xz'])('a list is read that is packed as %s', async (ending) => {
  const list = Buffer.from('Package: thing\nVersion: 2.0.9-1\n');
  const packed = ending === '.gz' ? gzipSync(list) : (await execa('xz', ['-c'], { input: list, encoding: 'buffer' })).stdout;
  const body = Buffer.from(packed);
  const name = `main/binary-amd64/Packages${ending}`;
  vendor.answers.set(`/apt/dists/bookworm/${name}`, { body });
  await resign(`SHA256:\n ${sha256Of(body)} ${body.length} ${name}\n`, '/apt/dists/bookworm/InRelease', key);
  expect(versionsOf(await look(key))).toEqual([['2.0.9']]);
  const broken = Buffer.from(`${body.subarray(0, 10)}broken`);
  vendor.answers.set(`/apt/dists/bookworm/${name}`, { body: broken });
  await resign(`SHA256:\n ${sha256Of(broken)} ${broken.length} ${name}\n`, '/apt/dists/bookworm/InRelease', key);
  await expect(look(key)).rejects.toMatchObject({ details: { code: 'versions-unreadable', why: /cannot be read/ } });
});

test('a flat repository is read, whose signature lies beside its Release', async () => {
  const { createMessage, sign } = await import('openpgp');
  const list = Buffer.from('Package: thing\nVersion: 2.0.9-1\n');
  const release = Buffer.from(`SHA256:\n ${sha256Of(list)} ${list.length} ./Packages\n`);
  const message = await createMessage({ binary: release });
  const date = new Date(Date.now() - 60_000);
  const signature = await sign({ message, signingKeys: key.private, detached: true, date });
  vendor.answers.set('/apt/Packages', { body: list });
  vendor.answers.set('/apt/Release', { body: release });
  vendor.answers.set('/apt/Release.gpg', { body: signature });
  const upstream = { datasource: 'vendor-apt' as const, source: 'vendor', package: 'thing' };
  const flat = [{ ...source(key), suite: './' }];
  expect(versionsOf(await lookAtVendorApt(upstream, flat, looking()))).toEqual([['2.0.9']]);
  vendor.answers.set('/apt/Release', { body: `${release}\n` });
  await expect(lookAtVendorApt(upstream, flat, looking())).rejects.toMatchObject({ details: { code: 'versions-not-genuine' } });
  await expect(lookAtVendorApt({ ...upstream, source: 'other' }, flat, looking())).rejects.toMatchObject({
    details: { code: 'bad-versions', why: 'its taskserv describes no apt source "other"' },
  });
});

test('an old copy of lists that were good until a day is refused', async () => {
  await serve('apt', 'bookworm', ['2.0.1-1'], key);
  const at = '/apt/dists/bookworm/InRelease';
  const [, release = ''] = /\n\n(.*)\n-----BEGIN PGP SIGNATURE/s.exec(String(vendor.answers.get(at)?.body)) ?? [];
  await resign(`${release.trimEnd()}\nValid-Until: Sat, 01 Feb 2020 00:00:00 UTC\n`, at, key);
  await expect(look(key)).rejects.toMatchObject({ details: { code: 'versions-not-genuine', why: /good until 2020-02-01/ } });
});

test('the archive of Debian is read with its security updates, each list once; a mirror may be without these updates', async () => {
  await serve('deb/debian', 'bookworm', ['2.0.1-1'], key);
  await serve('deb/debian', 'trixie', ['2.1.0+dfsg-2'], key);
  await serve('deb/debian-security', 'bookworm-security', ['2.0.2-1~deb12u1'], key);
  const at = looking();
  const keyring = '/nowhere/keyring.gpg';
  const wanted = (name: string) => [
    { release: 'debian-13' as const, package: name, supported: '2.1' },
    { release: 'debian-12' as const, package: name, supported: '2.0' },
  ];
  const parts = await lookAtDebian(wanted('thing'), at, [keyring]);
  expect(versionsOf(parts)).toEqual([['2.1.0'], ['2.0.1'], ['2.0.2']]);
  expect(listHeldByArchives(wanted('thing'), parts)).toMatchObject([{ version: '2.1.0' }, { version: '2.0.2' }]);
  expect(parts[0]?.remark).toMatch(/not verified: the keys of Debian are not installed here/);
  const asked = vendor.asked.length;
  const others = await lookAtDebian(wanted('other'), at, [keyring]);
  expect(vendor.asked.slice(asked)).toEqual([]);
  expect(listHeldByArchives(wanted('other'), others)).toEqual(wanted('other'));
});

test('a release of which the archive has no lists is a failure, not a package that is gone', async () => {
  await serve('deb/debian', 'bookworm', ['2.0.1-1'], key);
  const wanted = (['debian-12', 'debian-13'] as const).map((release) => ({ release, package: 'thing', supported: '2.0' }));
  await expect(lookAtDebian(wanted, looking(), ['/nowhere'])).rejects.toMatchObject({
    details: { code: 'versions-missing', why: expect.stringContaining('/dists/trixie/') },
  });
});

test('a pre-release that the archive holds is what hosts get', async () => {
  await serve('deb/debian', 'bookworm', ['1.6.7~rc0-1+b26'], key);
  const wanted = [{ release: 'debian-12' as const, package: 'thing', supported: '1.6' }];
  expect(listHeldByArchives(wanted, await lookAtDebian(wanted, looking(), ['/nowhere']))).toMatchObject([{ version: '1.6.7' }]);
});

test('services that know a suite by something else, or by nothing, have one list fetched', async () => {
  await serve('apt', 'bookworm', ['2.0.1-1'], key);
  const { lists } = looking();
  const suite = { uri: 'https://apt.vendor.example', suite: 'bookworm', components: ['main'], keyring: Buffer.from(key.public) };
  const etag = vendor.answers.get('/apt/dists/bookworm/InRelease')?.headers?.etag ?? 'none';
  const found = await Promise.all([{ etag }, { etag: '"old"' }, undefined, { etag }].map((known) => lists.of(suite, known)));
  expect(found.map((list) => list?.packages.get('thing'))).toEqual([undefined, ['2.0.1-1'], ['2.0.1-1'], undefined]);
  const fetched = vendor.asked.map(({ url }) => url.replace(/.*\/bookworm\//, ''));
  expect(fetched).toEqual(['InRelease', 'InRelease', 'main/binary-amd64/Packages']);
});

test('of a list only the packages are kept that are wanted', async () => {
  await serve('apt', 'bookworm', ['2.0.1-1'], key);
  const mirrors = [vendor.mirror('https://apt.vendor.example', 'apt')];
  const suite = { uri: 'https://apt.vendor.example', suite: 'bookworm', components: ['main'], keyring: Buffer.from(key.public) };
  const sizeFor = async (...wanted: string[]) => {
    const lists = aptListsBy(createWeb({ mirrors, silentMs: 60_000 }), Date.now, new Set(wanted));
    return (await lists.of(suite, undefined))?.packages.size;
  };
  expect(await Promise.all([sizeFor('thing', 'other'), sizeFor('other')])).toEqual([1, 0]);
});
