import { X509Certificate } from 'node:crypto';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { connect as connectTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { certificatesIn, keysIn, makeAuthority, makeCertificate } from '../../secrets/generate/certificates.js';
import { createTestApi, TOKEN } from '../test-api.js';
import { readCertificate } from './certificate.js';
import { parseListenAddress } from './listen-address.js';
import { type ApiServer, type ServeOptions, serveApi } from './serve-api.js';

let folder: string;
const authority = makeAuthority('test', 2);
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'provisioning-api-'));
});
afterAll(() => rm(folder, { recursive: true }));

const servers: ApiServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function serve(more: Partial<ServeOptions> = {}) {
  const made = createTestApi();
  const logged: string[] = [];
  const address = { host: '127.0.0.1', port: 0 };
  // A client may have opened a connection that it never uses.
  const times = { stopping: 500, ...more.times };
  const server = await serveApi(made.api, { address, log: (line) => logged.push(line), ...more, times });
  servers.push(server);
  return { ...made, server, logged, port: Number(new URL(server.origin).port) };
}

/** Sends raw bytes, and returns all bytes until the server closes the connection. */
const send = (port: number, text: string) =>
  new Promise<string>((resolve) => {
    let answer = '';
    const socket = connectTcp(port, '127.0.0.1', () => socket.write(text));
    socket.on('data', (data) => {
      answer += data;
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(answer));
  });

const head = (line: string, ...headers: string[]) => `${[line, 'Host: localhost', ...headers].join('\r\n')}\r\n\r\n`;
const authorized = `Authorization: Bearer ${TOKEN}`;

describe('over the network', () => {
  test('calls are answered, and a stream ends when its client goes away', async () => {
    const { server, heard } = await serve();
    const headers = { authorization: `Bearer ${TOKEN}` };
    expect(await (await fetch(`${server.origin}/v1/things/a`, { headers })).json()).toEqual({ thing: 'a' });
    const left = new AbortController();
    const stream = await fetch(`${server.origin}/v1/things/endless/follow`, { headers, signal: left.signal });
    await stream.body?.getReader().read();
    left.abort();
    while (!heard.aborted.includes('endless')) await sleep(5);
  });

  test('a waiting result ends when its client goes away', async () => {
    const { server, heard } = await serve();
    const left = new AbortController();
    const waiting = fetch(`${server.origin}/v1/things/running/result`, {
      headers: { authorization: `Bearer ${TOKEN}` },
      signal: left.signal,
    });
    waiting.catch(() => {});
    await sleep(100);
    left.abort();
    while (!heard.aborted.includes('running')) await sleep(5);
  });

  test('clients that send too slowly are cut off', async () => {
    const { port } = await serve({ times: { headers: 50, request: 100, checking: 20 } });
    expect(await send(port, 'GET /v1/things HTTP/1.1\r\nHost: loc')).toContain('408');
    const slow = head('POST /v1/things/a/change HTTP/1.1', authorized, 'Content-Type: application/json', 'Content-Length: 100');
    expect(await send(port, `${slow}{`)).not.toContain('204');
  });

  test.each([
    ['two lengths', ['Content-Length: 2', 'Content-Length: 3']],
    ['a length and chunks', ['Content-Length: 2', 'Transfer-Encoding: chunked']],
    ['an unknown encoding', ['Transfer-Encoding: xchunked']],
    ['a length that is none', ['Content-Length: +2']],
    ['a header of many lines', ['X-A: b', ' folded: yes']],
    ['large headers', [`X-A: ${'a'.repeat(200_000)}`]],
  ])('a request with %s is no request', async (_, headers) => {
    const { port, heard } = await serve();
    const text = head('POST /v1/things/a/change HTTP/1.1', authorized, 'Content-Type: application/json', ...headers);
    expect(await send(port, `${text}{}`)).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(heard.calls).toEqual([]);
  });

  test('verbs that fetch refuses are not taken either', async () => {
    const { port, heard } = await serve();
    for (const verb of ['TRACE', 'PROPFIND'])
      expect(await send(port, head(`${verb} /v1/things/a HTTP/1.1`, authorized, 'Connection: close'))).toMatch(
        /^HTTP\/1\.1 4\d\d /,
      );
    expect(heard.calls).toEqual([]);
  });

  test('a header of the caller makes none of ours', async () => {
    const { port } = await serve();
    const answer = await send(port, head('GET /v1/things HTTP/1.1', authorized, 'X-Request-Id: a\tb: c', 'Connection: close'));
    expect(answer).toMatch(/\r\nx-request-id: [0-9a-f-]{36}\r\n/);
  });

  test('a port in use is one clear error', async () => {
    const { port } = await serve();
    await expect(serve({ address: { host: '127.0.0.1', port } })).rejects.toMatchObject({ details: { code: 'port-in-use' } });
  });
});

test('a server that stops ends streams, and answers what was asked', async () => {
  const { server, heard } = await serve({ times: { stopping: 10_000 } });
  const headers = { authorization: `Bearer ${TOKEN}` };
  const stream = await fetch(`${server.origin}/v1/things/endless/follow`, { headers });
  const waiting = fetch(`${server.origin}/v1/things/running/result`, { headers: { ...headers, prefer: 'wait=1' } });
  await sleep(100);
  const closed = server.close();
  expect(await stream.text()).not.toContain('event: end');
  expect((await waiting).status).toBe(202);
  await closed;
  expect(heard.aborted.sort()).toEqual(['endless', 'running']);
});

describe('TLS', () => {
  const pairFor = (name: string) => {
    const text = makeCertificate(authority, [name, '127.0.0.1'], 1);
    return { cert: certificatesIn(text)[0] ?? '', key: keysIn(text)[0] ?? '' };
  };
  /** Puts other files in their place, as acme does. */
  async function write(files: { certificate: string; key: string }, { cert, key }: { cert: string; key: string }) {
    for (const [path, text] of [
      [files.key, key],
      [files.certificate, cert],
    ] as const) {
      await writeFile(`${path}.new`, text);
      await rename(`${path}.new`, path);
    }
  }
  const subjectAt = (port: number) =>
    new Promise<string>((resolve, reject) => {
      const socket = connectTls({ port, host: '127.0.0.1', ca: certificatesIn(authority), servername: '' }, () => {
        resolve(new X509Certificate(socket.getPeerX509Certificate()?.raw ?? '').subject);
        socket.destroy();
      }).on('error', reject);
    });

  test('uses a certificate as soon as its files change, and keeps it while they are broken', async () => {
    const files = { certificate: join(folder, 'a.pem'), key: join(folder, 'a.key') };
    await write(files, pairFor('first'));
    const { port, logged } = await serve({ tls: { files, pair: await readCertificate(files) }, certificateMs: 10 });
    expect(await subjectAt(port)).toBe('CN=first');
    await sleep(30);
    await write(files, pairFor('second'));
    while ((await subjectAt(port)) !== 'CN=second') await sleep(10);
    await writeFile(files.certificate, 'half of');
    while (!logged.some((line) => line.includes('cannot use the certificate'))) await sleep(10);
    expect(await subjectAt(port)).toBe('CN=second');
  });

  test('refuses a pair that does not belong together, or has expired', async () => {
    const files = { certificate: join(folder, 'b.pem'), key: join(folder, 'b.key') };
    await expect(readCertificate(files)).rejects.toMatchObject({ details: { code: 'bad-certificate' } });
    await write(files, { ...pairFor('a'), key: pairFor('b').key });
    await expect(readCertificate(files)).rejects.toMatchObject({ details: { code: 'bad-certificate' } });
    const expired = makeCertificate(authority, ['old'], -1);
    await write(files, { cert: certificatesIn(expired)[0] ?? '', key: keysIn(expired)[0] ?? '' });
    await expect(readCertificate(files)).rejects.toMatchObject({ details: { why: 'it has expired' } });
  });
});

test.each([
  ['127.0.0.1:8443', { host: '127.0.0.1', port: 8443 }],
  ['[::]:0', { host: '::', port: 0 }],
  ['localhost:1', { host: 'localhost', port: 1 }],
])('%s is an address', (text, address) => expect(parseListenAddress(text)).toEqual(address));

test.each(['8443', ':8443', '127.0.0.1', '127.0.0.1:70000', 'example.org:1', '::1:8443', '127.0.0.1:1\n', '[127.0.0.1]:1'])(
  '%j is no address',
  (text) => expect(() => parseListenAddress(text)).toThrow(/--listen/),
);
