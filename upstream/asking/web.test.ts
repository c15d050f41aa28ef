import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { makeAuthority } from '../../test/support/certificates.js';
import { serveVendor, type Vendor, type VendorAnswer } from '../../test/support/vendor/vendor.js';
import { unpackBody } from './unpack.js';
import { createWeb, type WebRequest } from './web.js';

const NOW = Date.parse('2026-11-27T12:00:00Z');
let vendor: Vendor;
beforeEach(async () => {
  vendor = await serveVendor();
});
afterEach(() => vendor.close());

const web = (silentMs = 60_000) => createWeb({ mirrors: [vendor.mirror('https://vendor.example', 'v')], silentMs, now: () => NOW });
const get = (answer: VendorAnswer, asked: Partial<WebRequest> = {}, silentMs?: number) => {
  vendor.answers.set('/v/a', answer);
  return web(silentMs).get('https://vendor.example/a', { most: 1_000, ...asked });
};
const failsWith = (code: string, why: RegExp) => ({
  details: expect.objectContaining({ code, why: expect.stringMatching(why) }),
});

test('what is there is read at the mirror, without credentials', async () => {
  const answer = await get({ body: 'x', headers: { etag: '"1"', link: '<https://x/?page=2>; rel="next"' } });
  expect(answer).toEqual({ body: Buffer.from('x'), validators: { etag: '"1"' }, more: true });
  expect(Object.keys(vendor.asked[0]?.headers ?? {})).not.toContain('authorization');
  expect(vendor.asked[0]?.headers['user-agent']).toBe('provisioning');
});

test('the longest beginning of an address decides about its mirror', async () => {
  vendor.answers.set('/long/b', { body: 'long' });
  const mirrors = [vendor.mirror('https://vendor.example', 'v'), vendor.mirror('https://vendor.example/a', 'long')];
  const answer = await createWeb({ mirrors, silentMs: 60_000 }).get('https://vendor.example/a/b', { most: 100 });
  expect(answer?.body.toString()).toBe('long');
});

test('what has not changed is not sent again', async () => {
  expect(await get({ body: 'x', headers: { etag: '"1"' } }, { validators: { etag: '"1"' } })).toBeUndefined();
});

test('what is known is asked for by its tag, and by its time only without a tag', async () => {
  const LAST = 'Thu, 26 Nov 2026 12:00:00 GMT';
  for (const validators of [{ etag: '"1"', lastModified: LAST }, { etag: '"1"' }, { lastModified: LAST }, {}])
    await get({ body: 'x' }, { validators });
  expect(vendor.asked.map(({ headers }) => [headers['if-none-match'], headers['if-modified-since']])).toEqual([
    ['"1"', undefined],
    ['"1"', undefined],
    [undefined, LAST],
    [undefined, undefined],
  ]);
});

test.each<[string, VendorAnswer, string, RegExp]>([
  ['nothing there', { status: 404 }, 'versions-missing', /nothing at \/v\/a/],
  ['a refusal', { status: 401 }, 'versions-missing', /refuses .* 401/],
  ['a broken server', { status: 502 }, 'versions-not-answered', /status 502/],
  ['a body without end', { endless: true }, 'versions-unreadable', /larger than/],
  ['a body that says it is large', { body: 'x'.repeat(2_000) }, 'versions-unreadable', /larger than/],
  [
    'a way without TLS',
    { status: 302, headers: { location: 'http://other.example/a' } },
    'versions-not-genuine',
    /other.example without TLS/,
  ],
  ['a way to a user', { status: 302, headers: { location: 'https://u:p@other.example/' } }, 'versions-not-genuine', /with a user/],
  ['a way to a file', { status: 302, headers: { location: 'file:///etc/passwd' } }, 'versions-not-genuine', /without TLS/],
])('%s is told in one line', async (_, answer, code, why) => {
  await expect(get(answer)).rejects.toMatchObject(failsWith(code, why));
});

test('who sends nothing is not waited for', async () => {
  await expect(get({ silent: true }, {}, 50)).rejects.toMatchObject(failsWith('versions-not-answered', /sent nothing for 0.05 s/));
});

test('who never comes to an end is not waited for, either', async () => {
  vendor.answers.set('/v/a', { endless: true });
  const asking = createWeb({ mirrors: [vendor.mirror('https://vendor.example', 'v')], silentMs: 60_000, wholeMs: 100 });
  await expect(asking.get('https://vendor.example/a', { most: Number.MAX_SAFE_INTEGER, take: () => {} })).rejects.toMatchObject(
    failsWith('versions-not-answered', /took longer than 0.1 s/),
  );
});

test('what is packed may not become more than it may', async () => {
  const read = async (name: string, body: Buffer, most?: number) => {
    let size = 0;
    for await (const chunk of unpackBody(name, body, most)) size += chunk.length;
    return size;
  };
  const packed = gzipSync(Buffer.alloc(1_000_000));
  expect(await read('Packages.gz', packed)).toBe(1_000_000);
  await expect(read('Packages.gz', packed, 900_000)).rejects.toThrow('unpacked, it is larger than');
  await expect(read('Packages.gz', packed.subarray(0, 100))).rejects.toThrow();
  vi.stubEnv('PATH', '/nowhere');
  await expect(read('Packages.xz', packed)).rejects.toThrow('the program xz is not installed here');
  vi.unstubAllEnvs();
});

test('nobody there is told with the reason', async () => {
  const gone = web();
  await vendor.close();
  await expect(gone.get('https://vendor.example/a', { most: 1 })).rejects.toMatchObject(
    failsWith('versions-not-answered', /ECONNREFUSED/),
  );
  vendor = await serveVendor();
});

test.each<[string, VendorAnswer, number]>([
  ['GitHub', { status: 403, headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(NOW / 1_000 + 600) } }, 600_000],
  ['a number of seconds', { status: 429, headers: { 'retry-after': '30' } }, 30_000],
  ['a time', { status: 429, headers: { 'retry-after': 'Fri, 27 Nov 2026 12:02:00 GMT' } }, 120_000],
  ['nothing', { status: 429 }, 60_000],
  ['too much', { status: 429, headers: { 'retry-after': '99999999999' } }, 24 * 60 * 60_000],
])('a limit of requests is kept to: %s', async (_, answer, retryAfterMs) => {
  vendor.answers.set('/v/a', answer);
  const asking = web();
  const ask = () => asking.get('https://vendor.example/a', { most: 100 });
  await expect(ask()).rejects.toMatchObject({ details: { code: 'versions-limited', retryAfterMs } });
  await expect(ask()).rejects.toMatchObject({ details: { code: 'versions-limited' } });
  expect(vendor.asked).toHaveLength(1);
});

test('a 403 without a limit is a refusal', async () => {
  await expect(get({ status: 403 })).rejects.toMatchObject(failsWith('versions-missing', /refuses/));
});

test('a mirror without TLS is on this machine, or is not asked', async () => {
  const mirrors = [{ from: 'https://vendor.example', to: 'http://mirror.example' }];
  await expect(createWeb({ mirrors, silentMs: 100 }).get('https://vendor.example/a', { most: 1 })).rejects.toMatchObject(
    failsWith('versions-not-genuine', /mirror.example does not use https/),
  );
});

test('a certificate of nobody known is refused', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'web-'));
  const { key, cert } = await (await makeAuthority(folder, 'nobody')).sign('server');
  const server = createServer({ key: await readFile(key), cert: await readFile(cert) }, (_, response) => response.end('x'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = `https://127.0.0.1:${(server.address() as AddressInfo).port}/a`;
  await expect(createWeb({ silentMs: 60_000 }).get(address, { most: 100 })).rejects.toMatchObject(
    failsWith('versions-not-answered', /certificate/),
  );
  server.close();
  await rm(folder, { recursive: true });
});
