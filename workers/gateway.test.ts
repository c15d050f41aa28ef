import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createDispatcher } from '../app/dispatch.js';
import type { Engine } from '../app/engine.js';
import type { AnyMethod, Call } from '../app/method.js';
import { METHODS } from '../app/methods.generated.js';
import { createOwner } from '../app/principal.js';
import { socketClient } from '../client/socket/socket-client.js';
import type { SocketReply } from '../client/socket/socket-protocol.js';
import { principal } from '../home/principal.js';
import { serveGateway } from './gateway.js';

const LIMITS = { line: 10_000, unread: 100_000 };
let place: string;
let path: string;
let gateway: { close(): Promise<void> };
let received: { method: string; input: unknown; actor: string }[];
let answer: unknown;
/** Events of a stream; undefined for a call with one answer. */
let events: unknown[] | undefined;
/** Number of `onWarm` calls. */
let wanted: number;

/** The methods of the platform, which record their input and give the same answer to all calls. */
const kept = Object.fromEntries(
  Object.entries<AnyMethod>(METHODS).map(([method, declared]): [string, AnyMethod] => {
    const keep = (actor: string, input: unknown) => received.push({ method, input, actor });
    if (declared.kind === 'call')
      return [method, { ...declared, run: async ({ principal: { actor } }: Call, input: unknown) => keep(actor, input) && answer }];
    return [
      method,
      {
        ...declared,
        async *run({ principal: { actor } }: Call, input: unknown) {
          keep(actor, input);
          yield* events ?? [answer];
        },
      },
    ];
  }),
);
const platform = createDispatcher({ engine: {} as Engine, principal: createOwner(principal()) }, kept);

beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), 'gateway-'));
  path = join(place, 'engine', 'worker.sock');
  received = [];
  answer = { ok: true };
  events = undefined;
  wanted = 0;
  gateway = await serveGateway(path, platform, { limits: LIMITS, onWarm: () => void wanted++ });
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

/** Returns the answer to a line from any program of this user. */
async function said(line: string): Promise<SocketReply & { error: { code: string; why: string } }> {
  const { socket, replies } = await opened();
  socket.write(`${line}\n`);
  const { value } = await replies.next();
  socket.destroy();
  return JSON.parse(value);
}
const call = (method: unknown, input?: unknown) => said(JSON.stringify({ id: 1, method, input }));

/** Returns the answers to a call of a stream, up to its end. */
async function followed(more: object): Promise<{ lines: string[]; replies: SocketReply[] }> {
  const { socket, replies } = await opened();
  socket.write(`${JSON.stringify({ id: 7, method: 'operations.follow', input: { operation: request.id }, ...more })}\n`);
  const lines: string[] = [];
  while (!lines.at(-1)?.includes('"result"')) lines.push((await replies.next()).value);
  socket.destroy();
  return { lines, replies: lines.map((line) => JSON.parse(line)) };
}

const request = { id: 'cluster-ensure-shop-1', kind: 'cluster', workspace: 'default', infra: 'shop', intent: { verb: 'ensure' } };
const IN_DEFAULT = { workspace: 'default' };
const LIE = 'root@elsewhere';
const batch = { id: 'batch-1', name: 'all', workspace: 'default', parallel: 1, accounts: {}, priority: 3, onFailure: 'keep' };

test('whoever gives commands has them carried out the next time', async () => {
  await call('hello');
  expect(wanted).toBe(0);
  expect(await call('warm')).toEqual({ id: 1, result: null });
  expect(wanted).toBe(1);
});

describe('who calls', () => {
  test.each([
    ['operations.submit', { request: { ...request, actor: LIE } }],
    ['batches.submit', { ...batch, actor: LIE, operations: [], definitions: {} }],
    ['operations.pause', { operation: 'op', why: 'because' }],
  ])('of %s is the owner of the socket, whatever the call says', async (method, input) => {
    expect(await call(method, input)).toEqual({ id: 1, result: { ok: true } });
    expect(received).toMatchObject([{ method, actor: principal() }]);
  });

  const all = Object.keys(METHODS).filter((name) => name !== 'operations.submit' && name !== 'batches.submit');
  test.each(all)('of %s is nothing that a call can say', async (method) => {
    const said = await call(method, { operation: 'op', batch: 'b', workspace: 'default', actor: LIE });
    expect(said).toMatchObject({ error: { code: 'bad-request' } });
    expect(received).toEqual([]);
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
  test.each([
    'constructor',
    '__proto__',
    'toString',
    'hasOwnProperty',
    'close',
    'valueOf',
    'operations',
    'submit',
    '',
    7,
    null,
    ['operations.submit'],
  ])('of %j is unknown', async (method) => {
    expect(await call(method)).toMatchObject({ id: 1, error: { code: 'unknown-call', blame: 'user' } });
    expect(received).toEqual([]);
  });

  const wrong: [string, unknown, RegExp][] = [
    ['operations.submit', undefined, /^Invalid input/],
    ['operations.submit', [request], /^Invalid input/],
    ['operations.submit', { request: { ...request, kind: 'infra' } }, /^request\.kind: /],
    ['operations.submit', { request: { ...request, intent: { verb: 'steal' } } }, /^request\.intent\.verb: /],
    ['operations.submit', { request, more: 1 }, /more/],
    ['operations.progress', { operation: { id: 'op' } }, /^operation: /],
    ['operations.list', { limit: -1 }, /^limit: /],
    ['operations.decide', { operation: 'op', decision: 'destroy' }, /^decision: /],
    ['operations.approve', { operation: 'op', approved: 'yes' }, /^approved: /],
    ['operations.follow', { operation: 'x'.repeat(2_000) }, /^operation: /],
  ];
  test.each(wrong)('of %s with %j is refused with the place', async (method, input, why) => {
    expect(await call(method, input)).toMatchObject({
      error: { code: 'bad-request', on: method, why: expect.stringMatching(why) },
    });
    expect(received).toEqual([]);
  });

  test('that follows answers with events, and an end', async () => {
    const client = await socketClient(path);
    const events: unknown[] = [];
    for await (const event of client.operations.follow({ operation: 'op' })) events.push(event);
    expect(events).toEqual([{ ok: true }]);
    await client.close();
  });

  test.each([
    '{"id":1,"method":"operations.submit","input":{"request":{"__proto__":{"kind":"cluster"}}}}',
    '{"method":"infras.list","input":{"workspace":"default"}}',
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
    socket.write(`\n${JSON.stringify({ id: 2, method: 'infras.list', input: IN_DEFAULT })}\n`);
    expect((await replies.next()).done).toBe(true);
    expect(received).toEqual([]);
    expect(await call('infras.list', IN_DEFAULT)).toMatchObject({ result: { ok: true } });
  });

  test('of somebody who takes no answers ends before they fill the memory', async () => {
    answer = { text: 'x'.repeat(50_000) };
    const { socket } = await opened();
    socket.pause();
    const closed = once(socket, 'close');
    for (let id = 1; id <= 200; id++) socket.write(`${JSON.stringify({ id, method: 'infras.list', input: IN_DEFAULT })}\n`);
    const ended = async () => {
      while (received.length < 200 && !socket.destroyed) await new Promise((resolve) => setTimeout(resolve, 5));
    };
    await ended();
    socket.resume();
    await closed;
    expect(await call('infras.list', IN_DEFAULT)).toMatchObject({ id: 1, result: answer });
  });
});

test('of a stream nobody reads, no more events are taken than the socket holds', async () => {
  const taken: number[] = [];
  const TEXT = 'x'.repeat(20_000);
  events = {
    *[Symbol.iterator]() {
      for (let index = 0; index < 1_000; index++) {
        taken.push(index);
        yield { index, TEXT };
      }
    },
  } as unknown as unknown[];
  const { socket, replies } = await opened();
  socket.pause();
  socket.write(`${JSON.stringify({ id: 7, method: 'operations.follow', input: { operation: request.id } })}\n`);
  for (let before = -1; before < taken.length || taken.length === 0; ) {
    before = taken.length;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  expect(taken.length).toBeLessThan(100);
  socket.resume();
  let lines = 0;
  for (; !(await replies.next()).value.includes('"result"'); lines++);
  expect(lines).toBe(1_000);
  socket.destroy();
});

test('of an event that follows another, who says that it reads that is told what has changed', async () => {
  const cells = Array.from({ length: 200 }, (_, index) => ({ server: `web-${index}`, state: 'pending' }));
  const done = cells.map((cell, index) => (index === 100 ? { ...cell, state: 'done' } : cell));
  const progress = { operation: request.id, cells };
  events = [
    { type: 'progress', progress },
    { type: 'progress', progress: { ...progress, cells: done } },
    { type: 'waiting', progress: { ...progress, cells: done, waiting: 'for a decision' } },
    { type: 'waiting', progress: { ...progress, cells: done, waiting: 'for a decision' } },
  ];
  const { lines, replies } = await followed({ changes: true });
  expect(replies.map((reply) => Object.keys(reply)[1])).toEqual(['event', 'changed', 'changed', 'event', 'result']);
  expect(Math.max(...lines.slice(1, 3).map((line) => line.length))).toBeLessThan(250);
  const client = await socketClient(path);
  const read: unknown[] = [];
  for await (const event of client.operations.follow({ operation: request.id })) read.push(event);
  expect(read).toEqual(events);
  await client.close();
  // A client of a former build.
  const former = await followed({});
  expect(former.replies).toEqual([...events.map((event) => ({ id: 7, event })), { id: 7, result: null }]);
});
