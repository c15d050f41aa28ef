import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMessage, sign } from 'openpgp';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { makeSigningKey, type SigningKey } from '../../test/support/mirror/apt-repository.js';
import { sha256Of } from '../../test/support/mirror/mirror.js';
import { releasesPage, serveVendor, type Vendor } from '../../test/support/vendor/vendor.js';
import { createWeb } from '../../upstream/asking/web.js';
import { type AddOptions, addVersions } from './add-versions.js';

const DOWNLOADS = '/web/o/thing/releases/download';
const [HASH, OTHER] = ['1'.repeat(64), '2'.repeat(64)];

let vendor: Vendor;
let folder: string;
let key: SigningKey;
beforeAll(async () => {
  key = await makeSigningKey();
}, 60_000);
beforeEach(async () => {
  [vendor, folder] = [await serveVendor(), await mkdtemp(join(tmpdir(), 'add-versions-'))];
  vendor.answers.set('/api/repos/o/thing/releases', { body: releasesPage('v2.0.0', 'v1.2.4', 'v1.2.3', 'v1.2.0') });
});
afterEach(() => Promise.all([vendor.close(), rm(folder, { recursive: true })]));

const GITHUB = { datasource: 'releases', repository: 'o/thing', asset: 'thing-{arch}.tgz', checksums: 'sums-{version}.txt' };

/** Formatted like a hand-written file: values on one line stay on one line. */
const fileWith = (upstream: object) => `{
  "upstream": ${JSON.stringify(upstream)},
  "sources": ["https://example.org/sums"],
  "versions": {
    "1.2.3": {
      "amd64": { "url": "https://github.com/o/thing/1", "sha256": "${'a'.repeat(64)}" },
      "without": { "arm64": "its vendor has none" }
    },
    "1.1.0": {
      "amd64": { "url": "https://github.com/o/thing/0", "sha256": "${'b'.repeat(64)}" },
      "without": { "arm64": "its vendor has none" }
    }
  }
}
`;
const added = `    "1.2.4": {
      "released": "2026-11-01",
      "amd64": {
        "url": "https://github.com/o/thing/releases/download/v1.2.4/thing-amd64.tgz",
        "sha256": "${HASH}"
      },
      "without": {
        "arm64": "its vendor has none"
      }
    },
`;

async function add(upstream: object, options: Partial<AddOptions> = {}) {
  const path = join(folder, 'versions.json');
  await writeFile(path, fileWith(upstream));
  const mirrors = [vendor.mirror('https://api.github.com', 'api'), vendor.mirror('https://github.com', 'web')];
  const web = createWeb({ mirrors, silentMs: 60_000 });
  const result = await addVersions('thing', path, { web, write: true, unsigned: false, compute: false, ...options });
  return { result, text: await readFile(path, 'utf8') };
}
const serve = (name: string, body: string | Buffer) => vendor.answers.set(`${DOWNLOADS}/v1.2.4/${name}`, { body });
const sums = `${HASH}  ./thing-amd64.tgz\n${OTHER} *thing-arm64.tgz\n`;

/** Returns a detached signature of these bytes. */
async function signed(body: string, by: SigningKey): Promise<Buffer> {
  const message = await createMessage({ binary: Buffer.from(body) });
  const date = new Date(Date.now() - 60_000);
  return Buffer.from(await sign({ message, signingKeys: by.private, detached: true, format: 'binary', date }));
}
const withSignature = (fingerprint: string) => ({
  ...GITHUB,
  signature: { kind: 'gpg', file: 'sums-{version}.txt.sig', fingerprint },
});

test('what nobody has verified is told, and left out without --unsigned', async () => {
  serve('sums-1.2.4.txt', sums);
  const { result, text } = await add(GITHUB);
  const unverified = [{ version: '1.2.4', why: ['versions.json names no signature of the vendor'] }];
  expect(result).toMatchObject({ added: [], unverified, failed: [], diff: '' });
  expect(text).toBe(fileWith(GITHUB));
});

test('the newest patch release is put in its place, and all else stays as it is written', async () => {
  serve('sums-1.2.4.txt', sums);
  const shown = await add(GITHUB, { unsigned: true, write: false });
  expect(shown.text).toBe(fileWith(GITHUB));
  expect(shown.result?.diff).toContain('+    "1.2.4": {');
  const { result, text } = await add(GITHUB, { unsigned: true });
  expect(result).toMatchObject({ added: ['1.2.4'], failed: [] });
  expect(text).toBe(fileWith(GITHUB).replace('    "1.2.3": {', `${added}    "1.2.3": {`));
});

test('a list that its vendor has signed needs nothing more; the key has to be the one that is named', async () => {
  serve('sums-1.2.4.txt', sums);
  serve('sums-1.2.4.txt.sig', await signed(sums, key));
  const keyring = Buffer.from(key.public);
  const without = await add(withSignature(key.fingerprint));
  expect(without.result).toMatchObject({ added: [], unverified: [{ why: [expect.stringContaining('--keyring FILE')] }] });
  expect((await add(withSignature(key.fingerprint), { keyring })).result).toMatchObject({ added: ['1.2.4'], unverified: [] });
  const other = await add(withSignature('0'.repeat(40)), { keyring, unsigned: true });
  expect(other.result).toMatchObject({
    added: [],
    failed: [{ version: '1.2.4', why: expect.stringContaining('it is signed by') }],
  });
});

test('a bad signature is not made up for by --unsigned', async () => {
  serve('sums-1.2.4.txt', sums);
  serve('sums-1.2.4.txt.sig', await signed(`${sums} `, key));
  const { result, text } = await add(withSignature(key.fingerprint), { keyring: Buffer.from(key.public), unsigned: true });
  expect(result).toMatchObject({
    added: [],
    failed: [{ why: expect.stringContaining('its signature does not match its content') }],
  });
  expect(text).not.toContain('1.2.4');
});

test('signatures of a kind that nobody here verifies are told', async () => {
  serve('sums-1.2.4.txt', sums);
  const { result } = await add({ ...GITHUB, signature: { kind: 'cosign', file: 'x' } });
  expect(result).toMatchObject({ added: [], unverified: [{ why: [expect.stringContaining('cosign')] }] });
});

test('a hash that nobody lists is computed only where that is said', async () => {
  const { checksums: _, ...upstream } = GITHUB;
  serve('thing-amd64.tgz', 'content');
  expect((await add(upstream)).result).toMatchObject({ added: [], failed: [{ why: expect.stringContaining('--compute') }] });
  const { result, text } = await add(upstream, { compute: true, unsigned: true });
  expect(result).toMatchObject({ added: ['1.2.4'], unverified: [{ why: [expect.stringContaining('computed here')] }] });
  expect(JSON.parse(text).versions['1.2.4'].amd64.sha256).toBe(sha256Of(Buffer.from('content')));
});

test('an artifact that is not listed, and a source that does not answer, are told', async () => {
  serve('sums-1.2.4.txt', '<html>Please log in</html>');
  expect((await add(GITHUB, { unsigned: true })).result).toMatchObject({
    failed: [
      { version: '1.2.4', why: 'https://github.com/o/thing/releases/download/v1.2.4/sums-1.2.4.txt lists no thing-amd64.tgz' },
    ],
  });
  vendor.answers.set('/api/repos/o/thing/releases', { status: 503 });
  expect((await add(GITHUB)).result).toMatchObject({ added: [], failed: [{ why: expect.stringContaining('503') }] });
});

test('versions of packages have no hashes to add', async () => {
  const path = join(folder, 'versions.json');
  await writeFile(path, '{ "upstream": { "datasource": "debian", "package": "thing" }, "versions": { "2.0": {} } }');
  const web = createWeb({ silentMs: 100 });
  expect(await addVersions('thing', path, { web, write: true, unsigned: true, compute: true })).toBeUndefined();
});
