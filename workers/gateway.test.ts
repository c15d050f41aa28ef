import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Client } from '../client/client.js';
import { socketClient } from '../client/socket/socket-client.js';
import { METHODS, type SocketReply } from '../client/socket/socket-protocol.js';
import { principal } from '../home/principal.js';
import { serveGateway } from './gateway.js';

const LIMITS = { line: 10_000, unread: 100_000 };
let place: string;
let path: string;
let gateway: { close(): Promise<void> };
let received: { method: string; args: unknown[] }[];
let answer: unknown;

/** A platform that keeps what it is asked, and gives one answer to all. */
const platform = Object.fromEntries(
  METHODS.map((method) => [
    method,
    method === 'follow'
      ? async function* (...args: unknown[]) {
          received.push({ method, args });
          yield answer;
        }
      : async (...args: unknown[]) => {
          received.push({ method, args });
          return answer;
        },
  ]),
) as unknown as Client;

beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), 'gateway-'));
  path = join(place, 'engine', 'worker.sock');
  received = [];
  answer = { ok: true };
  gateway = await serveGateway(path, platform, LIMITS);
});
afterEach(async () => {
  await gateway.close();
  await rm(place, { recursive: true, force: true });
});

async function opened(): Promise<{ socket: Socket; replies: AsyncIterator<string> }> {
  const socket = connect(path);
  await once(socket, 'connect');
  socket.on('error', () => {});
  return { socket, replies: createInterface({ input: socket })[Symbol.asyncIterator]() };
}

/** What is answered to a line that some program of this user sends. */
async function said(line: string): Promise<SocketReply & { error: { code: string; why: string } }> {
  const { socket, replies } = await opened();
  socket.write(`${line}\n`);
  const { value } = await replies.next();
  socket.destroy();
  return JSON.parse(value);
}
const call = (method: unknown, ...args: unknown[]) => said(JSON.stringify({ id: 1, method, args }));

const request = { id: 'cluster-ensure-shop-1', kind: 'cluster', workspace: 'default', infra: 'shop', intent: { verb: 'ensure' } };
const LIE = 'root@elsewhere';
const by = { actor: LIE, why: 'because' };
/** Every call that says who asks, as somebody sends it who says that he is another. */
const signed: Record<string, unknown[]> = {
  submit: [{ ...request, actor: LIE }],
  cancel: ['op', LIE, 'because'],
  force: ['op', by],
  pause: ['op', by],
  resume: ['op', by],
  approve: ['op', { ...by, approved: true }],
  decide: ['op', 'retry', LIE, { why: 'because' }],
  orphans: [{ workspace: 'default', actor: LIE }],
  refresh: [{ workspace: 'default', infra: 'shop', actor: LIE }],
  importServer: [{ workspace: 'default', infra: 'shop', server: 'a', provider: 'demo', actor: LIE }],
  submitBatch: [{ id: 'batch-1', workspace: 'default', actor: LIE, operations: [], definitions: {} }],
  approveBatch: ['batch-1', by],
  decideBatch: ['batch-1', 'retry', by],
  cancelBatch: ['batch-1', by],
  rollbackBatch: ['batch-1', 'batch-2', by],
};

describe('who calls', () => {
  test.each(Object.entries(signed))('of %s is the owner of the socket, whatever the call says', async (method, args) => {
    expect(await call(method, ...args)).toEqual({ id: 1, result: { ok: true } });
    expect(received).toHaveLength(1);
    const text = JSON.stringify(received);
    expect(text).not.toContain(LIE);
    expect(text).toContain(JSON.stringify(principal()));
  });

  test('is filled in where it is not said at all', async () => {
    await call('submit', request);
    await call('pause', 'op', {});
    expect(received.map(({ args }) => args)).toEqual([
      [{ ...request, actor: principal() }, undefined],
      ['op', { actor: principal() }],
    ]);
  });

  test('can only be the owner: the folder is made private, and a client refuses another', async () => {
    expect((await stat(join(place, 'engine'))).mode & 0o777).toBe(0o700);
    expect((await stat(path)).mode & 0o077).toBe(0);
    await gateway.close();
    await mkdir(join(place, 'open'));
    await chmod(join(place, 'open'), 0o777);
    gateway = await serveGateway(join(place, 'open', 'worker.sock'), platform);
    expect((await stat(join(place, 'open'))).mode & 0o777).toBe(0o700);
    await (await socketClient(join(place, 'open', 'worker.sock'))).close();
    await chmod(join(place, 'open'), 0o777);
    await expect(socketClient(join(place, 'open', 'worker.sock'))).rejects.toMatchObject({
      details: { code: 'folder-not-private' },
    });
  });
});

describe('a call', () => {
  test.each(['constructor', '__proto__', 'toString', 'hasOwnProperty', 'close', 'valueOf', 'nothing', '', 7, null, ['submit']])(
    'of %j is unknown',
    async (method) => {
      expect(await call(method)).toMatchObject({ id: 1, error: { code: 'unknown-call', blame: 'user' } });
      expect(received).toEqual([]);
    },
  );

  const wrong: [string, unknown[], RegExp][] = [
    ['submit', [], /^argument 1: /],
    ['submit', [{ ...request, kind: 'infra' }], /^argument 1\.kind: /],
    ['submit', [{ ...request, intent: { verb: 'steal' } }], /^argument 1\.intent\.verb: /],
    ['submit', [request, {}, {}], /takes 2 arguments, and has 3/],
    ['progress', [{ id: 'op' }], /^argument 1: /],
    ['list', [{ limit: -1 }], /^argument 1\.limit: /],
    ['decide', ['op', 'destroy', ''], /^argument 2: /],
    ['approve', ['op', { approved: 'yes' }], /^argument 2\.approved: /],
    ['follow', ['x'.repeat(2_000)], /^argument 1: /],
  ];
  test.each(wrong)('of %s with %j is refused with the place', async (method, args, why) => {
    expect(await call(method, ...args)).toMatchObject({ error: { code: 'bad-call', why: expect.stringMatching(why) } });
    expect(received).toEqual([]);
  });

  test.each([
    '{"id":1,"method":"submit","args":[{"__proto__":{"kind":"cluster"}}]}',
    '{"id":1,"method":"submit","args":{}}',
    '{"method":"infras","args":["default"]}',
    '[]',
    'null',
    'GET / HTTP/1.1',
  ])('that reads %s is refused, once', async (line) => {
    expect(await said(line)).toMatchObject({ error: { code: 'bad-call' } });
    expect(received).toEqual([]);
  });

  test('that is too long is refused while it comes, and nothing is kept of it', async () => {
    const { socket, replies } = await opened();
    for (let part = 0; part < 4; part++) socket.write('x'.repeat(4_000));
    const { value } = await replies.next();
    expect(JSON.parse(value)).toMatchObject({ error: { code: 'bad-call', why: 'it is longer than 10000 characters' } });
    socket.write(`\n${JSON.stringify({ id: 2, method: 'infras', args: ['default'] })}\n`);
    expect((await replies.next()).done).toBe(true);
    expect(received).toEqual([]);
    expect(await call('infras', 'default')).toMatchObject({ result: { ok: true } });
  });

  test('of somebody who takes no answers ends before they fill the memory', async () => {
    answer = { text: 'x'.repeat(50_000) };
    const { socket } = await opened();
    socket.pause();
    const closed = once(socket, 'close');
    for (let id = 1; id <= 200; id++) socket.write(`${JSON.stringify({ id, method: 'infras', args: ['default'] })}\n`);
    const ended = async () => {
      while (received.length < 200 && !socket.destroyed) await new Promise((resolve) => setTimeout(resolve, 5));
    };
    await ended();
    socket.resume();
    await closed;
    expect(await call('infras', 'default')).toMatchObject({ id: 1, result: answer });
  });
});
