import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import type { Engine } from '../../app/engine.js';
import type { NamedServer } from '../../app/logins/connect-server.js';
import type { Passage } from '../../app/method.js';
import type { Principal } from '../../app/principal.js';
import { inputError } from '../../core/errors.js';
import { limitRequests } from '../limits/request-limits.js';
import { type ApiServer, serveApi } from '../listen/serve-api.js';
import { createTestApi, TOKEN } from '../test-api.js';
import { END } from './forward-bytes.js';
import { type ConnectionOptions, createConnections } from './serve-connections.js';

const PLACE = '/v1/workspaces/default/infras/shop/servers/web-1/connection';
const GREETING = 'SSH-2.0-host\r\n';

let host: Server;
let reached: Socket[];
let behave: (socket: Socket) => void;
let api: ApiServer;
let asked: { named?: NamedServer; recorded: string[] };
let valid: Set<string>;

beforeEach(async () => {
  reached = [];
  behave = (socket) => {
    socket.write(GREETING);
    socket.pipe(socket);
  };
  host = createServer((socket) => {
    reached.push(socket);
    socket.on('error', () => {});
    behave(socket);
  }).listen(0, '127.0.0.1');
  await once(host, 'listening');
  valid = new Set([TOKEN, 'prov_2_viewer']);
  asked = { recorded: [] };
});
afterEach(async () => {
  await api?.close();
  for (const socket of reached) socket.destroy();
  host.close();
});

const principal = (bearer: string): Principal => ({
  actor: bearer === TOKEN ? 'ann' : 'viewer',
  may: (action) => bearer === TOKEN || action.endsWith(':read'),
});

async function serve(more: Partial<ConnectionOptions> = {}): Promise<string> {
  const { port } = host.address() as AddressInfo;
  const connections = createConnections({
    callFor: (principal) => ({
      engine: {} as Engine,
      principal,
      audit: async ({ method, located }: Passage) => {
        asked.recorded.push(`asked ${method.name} ${located.type} ${located.id}`);
        return async (error) => void asked.recorded.push(error === undefined ? 'done' : 'failed');
      },
      refused: async ({ action }) => void asked.recorded.push(`refused ${action}`),
    }),
    principalOf: async (bearer) => (valid.has(bearer) ? principal(bearer) : undefined),
    find: async (_, named) => {
      asked.named = named;
      if (named.server === 'gone')
        throw inputError({ code: 'unknown-server', what: 'log in', on: 'gone', why: 'no such server', absent: true } as never);
      return { address: '127.0.0.1', port };
    },
    times: { connect: 1_000, greeting: 300 },
    log: () => {},
    ...more,
  });
  api = await serveApi(createTestApi().api, { address: { host: '127.0.0.1', port: 0 }, connections, log: () => {} });
  return api.origin.replace('http:', 'ws:');
}

const open = (url: string, path = PLACE, headers: Record<string, string> = { authorization: `Bearer ${TOKEN}` }) =>
  new WebSocket(`${url}${path}`, { headers });

/** The status and the code of a request that is refused. */
async function refusal(socket: WebSocket): Promise<string> {
  const [, response] = await once(socket, 'unexpected-response');
  let text = '';
  for await (const chunk of response) text += chunk;
  return `${response.statusCode} ${(JSON.parse(text) as { code: string }).code}`;
}

/** Collects the bytes of a connection until `size` of them have arrived. */
function collect(socket: WebSocket, size: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let got = 0;
  return new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.on('message', (chunk: Buffer) => {
      chunks.push(chunk);
      got += chunk.length;
      if (got >= size) resolve(Buffer.concat(chunks));
    });
  });
}

test('bytes go through to the SSH port of the named server, and the call is recorded until its end', async () => {
  const socket = open(await serve());
  const greeting = collect(socket, GREETING.length);
  await once(socket, 'open');
  expect((await greeting).toString()).toBe(GREETING);
  expect(asked.named).toEqual({ workspace: 'default', infra: 'shop', server: 'web-1' });
  // More bytes than may wait in transit.
  const sent = Buffer.alloc(3 * 1024 * 1024, 'abcdefg');
  const echoed = collect(socket, sent.length);
  for (let at = 0; at < sent.length; at += 512 * 1024) socket.send(sent.subarray(at, at + 512 * 1024));
  expect((await echoed).equals(sent)).toBe(true);
  expect(asked.recorded).toEqual(['asked servers.connect Server default/shop/web-1']);
  socket.close();
  await once(reached[0] as Socket, 'close');
  await expect.poll(() => asked.recorded.at(-1)).toBe('done');
});

test('what a host says last arrives before the end', async () => {
  const last = Buffer.alloc(2 * 1024 * 1024, 'z');
  behave = (socket) => void socket.end(Buffer.concat([Buffer.from(GREETING), last]));
  const socket = open(await serve());
  const all = collect(socket, GREETING.length + last.length);
  const closed = once(socket, 'close');
  expect((await all).length).toBe(GREETING.length + last.length);
  // 1005: closed without a code, as a stream does it.
  expect([END.done, 1005]).toContain((await closed)[0]);
});

test('a host whose caller does not read is not read either', async () => {
  let written = 0;
  behave = (socket) => {
    socket.write(GREETING);
    const fill = () => {
      while (written < 256 * 1024 * 1024 && socket.write(Buffer.alloc(64 * 1024))) written += 64 * 1024;
    };
    socket.on('drain', fill);
    fill();
  };
  const socket = open(await serve());
  await once(socket, 'open');
  socket.pause();
  let before = -1;
  await expect
    .poll(
      () => {
        const isStill = written === before;
        before = written;
        return isStill;
      },
      { interval: 200, timeout: 20_000 },
    )
    .toBe(true);
  // Limit: the system's buffers of two sockets, and the bytes that may wait in this process.
  expect(written).toBeLessThan(64 * 1024 * 1024);
  socket.terminate();
});

test.each([
  ['no token', PLACE, {}, '401 bad-token'],
  ['another token', PLACE, { authorization: 'Bearer prov_9_x' }, '401 bad-token'],
  ['a token in the URL', `${PLACE}?token=${TOKEN}`, undefined, '400 token-in-url'],
  ['an address', `${PLACE}?address=169.254.169.254`, undefined, '400 bad-request'],
  ['a foreign host', PLACE, { authorization: `Bearer ${TOKEN}`, host: 'evil.example' }, '421 host-not-served'],
  ['a page of another site', PLACE, { authorization: `Bearer ${TOKEN}`, origin: 'https://evil.example' }, '403 cross-site'],
  ['another path', '/v1/workspaces', undefined, '404 unknown-call'],
  ['a name that is none', PLACE.replace('shop', '..%2f..'), undefined, '400 bad-request'],
  ['a path that cannot be read', PLACE.replace('shop', '%ff'), undefined, '400 bad-request'],
])('%s is refused before the protocol changes', async (_, path, headers, expected) => {
  expect(await refusal(open(await serve(), path, headers as Record<string, string>))).toBe(expected);
  expect(reached).toEqual([]);
});

test('who may read, and not log in, is refused, and that is recorded', async () => {
  const socket = open(await serve(), PLACE, { authorization: 'Bearer prov_2_viewer' });
  expect(await refusal(socket)).toBe('403 forbidden');
  expect([asked.recorded, reached]).toEqual([['refused server:login'], []]);
});

test('a service that does not speak SSH gets no byte of the caller', async () => {
  const got: Buffer[] = [];
  behave = (socket) => void socket.on('data', (chunk) => got.push(chunk));
  const url = await serve();
  expect(await refusal(open(url))).toBe('503 ssh-handshake');
  behave = (socket) => void socket.write('x'.repeat(10_000));
  expect(await refusal(open(url))).toBe('503 ssh-handshake');
  expect(Buffer.concat(got).length).toBe(0);
  host.close();
  for (const socket of reached) socket.destroy();
  await once(host, 'close');
  expect(await refusal(open(url))).toBe('503 host-unreachable');
});

test('a connection ends with its token, when nothing is forwarded, and when the server stops', async () => {
  const pace = { ping: 20, lost: 5_000, check: 20, idle: 60_000 };
  const url = await serve({ pace });
  const first = open(url);
  await once(first, 'open');
  valid.delete(TOKEN);
  expect((await once(first, 'close'))[0]).toBe(END.refused);
  valid.add(TOKEN);
  const second = open(url);
  await once(second, 'open');
  const closed = once(second, 'close');
  await api.close();
  expect((await closed)[0]).toBe(END.stopping);
  const third = open(await serve({ pace: { ...pace, idle: 60 } }));
  await once(third, 'open');
  expect((await once(third, 'close'))[0]).toBe(END.idle);
});

test('a principal has so many connections at a time, and gets a place back', async () => {
  const url = await serve({ most: { each: 1, all: 10 } });
  const first = open(url);
  await once(first, 'open');
  expect(await refusal(open(url))).toBe('429 rate-limited');
  first.close();
  await once(first, 'close');
  await expect.poll(() => asked.recorded.at(-1)).toBe('done');
  await sleep(0);
  const next = open(url);
  await once(next, 'open');
  next.terminate();
});

test('a request to connect counts with all others of its account and of its address, and a bad token as a failed sign-in', async () => {
  const failed: string[] = [];
  const signIns = { blockedFor: () => undefined, failed: (address: string) => void failed.push(address), accepted: () => {} };
  const seen: (string | undefined)[] = [];
  const limits = { requests: limitRequests({ account: 2, address: 5 }), signIns, trustedProxies: new Set<string>() };
  const url = await serve({
    limits,
    principalOf: async (bearer, address) => {
      seen.push(address);
      return valid.has(bearer) ? principal(bearer) : undefined;
    },
  });
  await limits.requests.count('account', 'ann');
  const first = open(url);
  await once(first, 'open');
  first.close();
  const [, response] = (await once(open(url), 'unexpected-response')) as [unknown, IncomingMessage];
  expect([response.statusCode, response.headers['retry-after'], response.headers.ratelimit]).toEqual([
    ...[429, expect.stringMatching(/^\d+$/), expect.stringMatching(/^"account";r=0;t=\d+$/)],
  ]);
  expect(await refusal(open(url, PLACE, { authorization: 'Bearer prov_3_bad' }))).toBe('401 bad-token');
  expect(failed).toEqual(['127.0.0.1']);
  expect(await refusal(open(url, '/v1/other'))).toBe('404 unknown-call');
  expect(await refusal(open(url, PLACE, { authorization: 'Bearer prov_2_viewer' }))).toBe('403 forbidden');
  const before = seen.length;
  expect(await refusal(open(url, PLACE, { authorization: 'Bearer prov_2_viewer' }))).toBe('429 rate-limited');
  expect(seen.slice(before)).toEqual([]);
  expect(new Set(seen)).toEqual(new Set(['127.0.0.1']));
});
