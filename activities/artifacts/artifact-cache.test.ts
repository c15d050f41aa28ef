import { createHash } from 'node:crypto';
import { chmod, mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ARTIFACT_PART } from '../../core/host/artifact.js';
import { makePrivate } from '../../home/private-folder.js';
import { readAllowedPlaces } from '../network/public-address.js';
import { type ArtifactCache, artifactCache, createFetches } from './artifact-cache.js';

const BYTES = Buffer.alloc(2 * ARTIFACT_PART + 1000, 'artifact ');
const sha256Of = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const SHA256 = sha256Of(BYTES);

let folder = '';
let server: Server;
/** Requests with their ranges: `/path bytes=100-`. */
let asked: string[] = [];
/** How the server answers, by path. */
let answers: Record<string, (request: IncomingMessage, response: ServerResponse) => void> = {};

beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'artifacts-')), 'cache');
  asked = [];
  answers = { '/whole': whole, '/page': (_, response) => void response.end('<!DOCTYPE html><title>Log in</title>') };
  server = createServer((request, response) => {
    asked.push(`${request.url}${request.headers.range ? ` ${request.headers.range}` : ''}`);
    const answer = answers[request.url ?? ''];
    if (answer) answer(request, response);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await rm(join(folder, '..'), { recursive: true });
});

/** Answers with the bytes, from where they are asked for. */
function whole({ headers }: IncomingMessage, response: ServerResponse): void {
  const from = Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0);
  if (from >= BYTES.length) return void response.writeHead(416).end();
  const range = { 'content-range': `bytes ${from}-${BYTES.length - 1}/${BYTES.length}` };
  response.writeHead(from > 0 ? 206 : 200, { 'content-length': BYTES.length - from, ...(from > 0 && range) });
  response.end(BYTES.subarray(from));
}

/** Says the length of all, and ends once the cache has some bytes: it could lose them if the end came first. */
const cutOff = (after: number) => (_: IncomingMessage, response: ServerResponse) => {
  response.writeHead(200, { 'content-length': BYTES.length }).write(BYTES.subarray(0, after));
  const has = async () =>
    (await Promise.all((await readdir(folder)).map((name) => stat(join(folder, name))))).some(({ size }) => size >= after);
  void vi
    .waitUntil(has, { timeout: 60_000 })
    .catch(() => {})
    .finally(() => response.destroy());
};

const cacheOf = (bounds = {}) => artifactCache(folder, makePrivate, bounds);
const at = (path: string) => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;

/** Reads an artifact as a host would be brought it. */
async function read(cache: ArtifactCache, path: string, more: { sha256?: string; signal?: AbortSignal; said?: string[] } = {}) {
  const { sha256 = SHA256, signal = new AbortController().signal, said = [] } = more;
  const parts: Buffer[] = [];
  const onProgress = (done: number, total?: number) => void said.push(`${done} of ${total}`);
  await cache.use({ url: at(path), sha256 }, { signal, onProgress }, async ({ size, read }) => {
    for (let part = 0; part * ARTIFACT_PART < size; part++) parts.push(await read(part));
  });
  return Buffer.concat(parts);
}

describe('an artifact', () => {
  test('is fetched once, kept for the user alone, and known by its hash', async () => {
    const said: string[] = [];
    const cache = cacheOf();
    expect(BYTES.equals(await read(cache, '/whole', { said }))).toBe(true);
    expect(BYTES.equals(await read(cache, '/whole'))).toBe(true);
    expect(BYTES.equals(await read(cacheOf(), '/whole'))).toBe(true);
    expect(asked).toEqual(['/whole']);
    expect(said.at(-1)).toBe(`${BYTES.length} of ${BYTES.length}`);
    expect(await readdir(folder)).toEqual([SHA256]);
    expect([(await stat(folder)).mode & 0o777, (await stat(join(folder, SHA256))).mode & 0o777]).toEqual([0o700, 0o600]);
  });

  test('is fetched once for all who want it at the same time', async () => {
    const held: ServerResponse[] = [];
    answers['/slow'] = (request, response) => {
      held.push(response);
      setTimeout(() => whole(request, response), 50);
    };
    const cache = cacheOf();
    const all = await Promise.all(Array.from({ length: 8 }, () => read(cache, '/slow')));
    expect(all.every((one) => one.equals(BYTES))).toBe(true);
    expect(held).toHaveLength(1);
  });

  test('comes for those who still wait when another gives up, and ends when all have', async () => {
    const responses: ServerResponse[] = [];
    answers['/slow'] = (_, response) => {
      responses.push(response);
      response.writeHead(200, { 'content-length': BYTES.length }).write(BYTES.subarray(0, 10));
    };
    const cache = cacheOf();
    const [one, other] = [new AbortController(), new AbortController()];
    const first = read(cache, '/slow', { signal: one.signal });
    const second = read(cache, '/slow', { signal: other.signal });
    await expect.poll(() => responses.length).toBe(1);
    one.abort(new Error('the first gives up'));
    await expect(first).rejects.toThrow('the first gives up');
    const [response] = responses as [ServerResponse];
    expect(response.destroyed).toBe(false);
    other.abort(new Error('so does the second'));
    await expect(second).rejects.toThrow('so does the second');
    await expect.poll(() => response.destroyed).toBe(true);
  });

  test('goes on where a try was cut off, also by another worker', async () => {
    answers['/cut'] = cutOff(100_000);
    await expect(read(cacheOf(), '/cut')).rejects.toMatchObject({
      details: { code: 'artifact-not-fetched', blame: 'weather', on: at('/cut') },
    });
    const [left = ''] = await readdir(folder);
    const { size } = await stat(join(folder, left));
    expect(size).toBeGreaterThan(0);
    answers['/cut'] = whole;
    expect(BYTES.equals(await read(cacheOf(), '/cut'))).toBe(true);
    expect(asked).toEqual(['/cut', `/cut bytes=${size}-`]);
    expect(await readdir(folder)).toEqual([SHA256]);
  });

  test('begins again where the server cannot go on, and where what was there was something else', async () => {
    answers['/cut'] = cutOff(50_000);
    await expect(read(cacheOf(), '/cut')).rejects.toThrow();
    answers['/cut'] = (_, response) => void response.end(BYTES);
    expect(BYTES.equals(await read(cacheOf(), '/cut'))).toBe(true);

    await rm(join(folder, SHA256));
    answers['/other'] = cutOff(50_000);
    await expect(read(cacheOf(), '/other')).rejects.toThrow();
    const [left = ''] = await readdir(folder);
    await writeFile(join(folder, left), 'x'.repeat(1000));
    answers['/other'] = whole;
    expect(BYTES.equals(await read(cacheOf(), '/other'))).toBe(true);
    expect(asked.slice(-2)).toEqual(['/other bytes=1000-', '/other']);
  });

  test('that a worker left when it died is taken over, and that of one at work is not', async () => {
    answers['/cut'] = cutOff(50_000);
    await expect(read(cacheOf(), '/cut')).rejects.toThrow();
    const [left = ''] = await readdir(folder);
    const { size } = await stat(join(folder, left));
    const own = join(folder, `${left}.00000000-0000-4000-8000-000000000000`);
    await writeFile(own, await readFile(join(folder, left)));
    await rm(join(folder, left));
    answers['/cut'] = whole;
    await read(cacheOf(), '/cut');
    expect(asked.at(-1)).toBe('/cut');
    await rm(join(folder, SHA256));
    await utimes(own, new Date(0), new Date(0));
    await read(cacheOf(), '/cut');
    expect(asked.at(-1)).toBe(`/cut bytes=${size}-`);
  });

  test('that was changed in the cache is fetched again', async () => {
    const cache = cacheOf();
    await read(cache, '/whole');
    await writeFile(join(folder, SHA256), Buffer.alloc(BYTES.length, 'x'));
    expect(BYTES.equals(await read(cache, '/whole'))).toBe(true);
    expect(asked).toHaveLength(2);
  });

  test.each([
    ['/page', 'it sent something else than the artifact, a web page: the SHA-256 is not'],
    ['/none', 'the server answers 404'],
    ['/loop', 'it redirects more than 5 times'],
    ['/elsewhere', 'it redirects to an address that is not an https:// URL'],
  ])('is refused at %s, and nothing is kept', async (path, why) => {
    const redirect = (to: string) => (_: IncomingMessage, response: ServerResponse) =>
      void response.writeHead(302, { location: to }).end();
    answers['/loop'] = redirect('/loop');
    answers['/elsewhere'] = redirect('file:///etc/passwd');
    const failure = read(cacheOf(), path);
    await expect(failure).rejects.toMatchObject({ details: { code: 'artifact-refused', blame: 'user' } });
    await expect(failure).rejects.toThrow(why);
    expect(await readdir(folder)).toEqual([]);
  });

  test.each([
    ['http://169.254.169.254/latest/meta-data/', '169.254.169.254, which is not a file server'],
    ['http://[fd00:ec2::254]/latest/meta-data/', 'fd00:ec2::254, which is not a file server'],
  ])('that redirects to %s is refused', async (location, why) => {
    answers['/metadata'] = (_, response) => void response.writeHead(302, { location }).end();
    const failure = read(cacheOf(), '/metadata');
    await expect(failure).rejects.toMatchObject({ details: { code: 'address-refused', blame: 'user' } });
    await expect(failure).rejects.toThrow(why);
    expect(await readdir(folder)).toEqual([]);
  });

  test('is fetched from private addresses only for those who may, also by a redirect', async () => {
    const own = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    answers['/inside'] = (_, response) => void response.writeHead(302, { location: `http://${own}/whole` }).end();
    const use = (allowed: string, path: string, host = 'localhost') =>
      cacheOf({ fetchFor: createFetches(readAllowedPlaces(allowed)) }).use(
        { url: `http://${host}:${own.split(':')[1]}${path}`, sha256: SHA256 },
        { signal: AbortSignal.timeout(60_000), onProgress() {}, onlyPublic: true },
        async () => {},
      );
    await expect(use('', '/whole')).rejects.toMatchObject({ details: { code: 'address-refused' } });
    await expect(use('localhost', '/inside')).rejects.toMatchObject({ details: { code: 'address-refused', on: '127.0.0.1' } });
    expect(asked).toEqual(['/inside']);
    await use('localhost,127.0.0.0/8', '/inside');
    expect(asked).toEqual(['/inside', '/inside', '/whole']);
  });

  test('of another hash is refused without telling which', async () => {
    const failure = read(cacheOf(), '/whole', { sha256: 'a'.repeat(64) });
    await expect(failure).rejects.toThrow('something else than the artifact: the SHA-256 is not aaaa');
    await expect(failure).rejects.not.toThrow(SHA256.slice(0, 8));
    expect(await readdir(folder)).toEqual([]);
  });

  test.each([true, false])('that is too large is refused, whether the server says its length (%s)', async (says) => {
    answers['/large'] = (_, response) => {
      response.writeHead(200, says ? { 'content-length': BYTES.length } : {});
      response.end(BYTES);
    };
    const failure = read(cacheOf({ artifact: 100_000 }), '/large');
    await expect(failure).rejects.toMatchObject({ details: { code: 'artifact-refused' } });
    await expect(failure).rejects.toThrow('it is larger than 97.7 KiB');
    expect(await readdir(folder)).toEqual([]);
  });

  test('of a server that falls silent is tried again, and of one that is busy when it says so', async () => {
    answers['/silent'] = (_, response) => void response.writeHead(200, { 'content-length': BYTES.length }).write('a');
    await expect(read(cacheOf({ idleMs: 100 }), '/silent')).rejects.toMatchObject({
      details: { code: 'artifact-not-fetched', why: 'nothing has come for 0.1 s' },
    });
    answers['/busy'] = (_, response) => void response.writeHead(503, { 'retry-after': '7' }).end();
    await expect(read(cacheOf(), '/busy')).rejects.toMatchObject({
      details: { code: 'artifact-not-fetched', retryAfterMs: 7_000 },
    });
  });
});

describe('the cache', () => {
  test('is bounded: what was not used for the longest time goes', async () => {
    const others = ['b', 'c', 'd'].map((letter) => Buffer.alloc(1000, letter));
    for (const bytes of others) answers[`/${sha256Of(bytes)}`] = (_, response) => void response.end(bytes);
    const cache = cacheOf({ artifacts: 2500 });
    const [b, c, d] = others.map(sha256Of) as [string, string, string];
    await read(cache, `/${b}`, { sha256: b });
    await read(cache, `/${c}`, { sha256: c });
    await utimes(join(folder, c), new Date(1000), new Date(1000));
    await utimes(join(folder, b), new Date(0), new Date(0));
    await read(cache, `/${b}`, { sha256: b });
    await read(cache, `/${d}`, { sha256: d });
    expect((await readdir(folder)).sort()).toEqual([b, d].sort());
    // Fetched again, since it went.
    await read(cache, `/${c}`, { sha256: c });
    expect(asked.filter((path) => path === `/${c}`)).toHaveLength(2);
  });

  test('follows no link, and is in no folder that others may write to', async () => {
    const cache = cacheOf();
    await read(cache, '/whole');
    await rm(join(folder, SHA256));
    const aside = join(folder, '../aside');
    await writeFile(aside, BYTES);
    await symlink(aside, join(folder, SHA256));
    await expect(read(cache, '/whole')).rejects.toThrow(/ELOOP/);
    await chmod(join(folder, '..'), 0o777);
    await expect(read(cache, '/whole')).rejects.toMatchObject({ details: { code: 'folder-not-private' } });
    await chmod(join(folder, '..'), 0o700);
  });
});
