import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createDispatcher } from '../app/dispatch.js';
import type { Engine } from '../app/engine.js';
import type { AnyMethod, Call } from '../app/method.js';
import { METHODS } from '../app/methods.generated.js';
import { createOwner } from '../app/principal.js';
import { socketClient } from '../client/socket/socket-client.js';
import { serveGateway } from './gateway.js';

const INPUT = { operation: 'cluster-ensure-shop-1' };

/** Signals of the started streams, which are aborted when the caller leaves; and the number of ended streams. */
let signals: AbortSignal[];
let ended: number;

/** A method that yields one event, and nothing more before its caller has left. */
const follow = {
  ...METHODS['operations.follow'],
  async *run(_: Call, __: unknown, { signal }: { signal: AbortSignal }) {
    signals.push(signal);
    try {
      yield { type: 'progress', progress: {} };
      if (!signal.aborted) await once(signal, 'abort');
    } finally {
      ended++;
    }
  },
} as unknown as AnyMethod;
const list = { ...METHODS['infras.list'], run: async () => ({ items: ['shop'] }) } as unknown as AnyMethod;
const platform = createDispatcher(
  { engine: {} as Engine, principal: createOwner('ann@desk') },
  { 'operations.follow': follow, 'infras.list': list },
);

let place: string;
let path: string;
let gateway: { close(): Promise<void> };
beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), 'abandoned-'));
  path = join(place, 'engine', 'worker.sock');
  signals = [];
  ended = 0;
  gateway = await serveGateway(path, platform);
});
afterEach(async () => {
  await gateway.close();
  await rm(place, { recursive: true, force: true });
});

async function opened() {
  const socket = connect(path);
  await once(socket, 'connect');
  const replies = createInterface({ input: socket })[Symbol.asyncIterator]();
  const say = (request: object) => socket.write(`${JSON.stringify(request)}\n`);
  return { socket, say, reply: async () => JSON.parse((await replies.next()).value) };
}

test.each(['by a break', 'by its signal'])(
  'whoever leaves a stream %s ends it in the worker, while the connection serves other calls',
  async (how) => {
    const client = await socketClient(path);
    const stop = new AbortController();
    for await (const _ of client.operations.follow(INPUT, { signal: stop.signal })) {
      if (how === 'by a break') break;
      stop.abort();
    }
    await expect.poll(() => [ended, signals.map(({ aborted }) => aborted)]).toEqual([1, [true]]);
    expect(await client.infras.list({ workspace: 'default' })).toEqual(['shop']);
    await client.close();
  },
);

test('whoever closes the connection ends all streams of it', async () => {
  const { socket, say, reply } = await opened();
  for (const id of [7, 8]) say({ id, method: 'operations.follow', input: INPUT });
  for (let count = 0; count < 2; count++) await reply();
  expect(ended).toBe(0);
  socket.destroy();
  await expect.poll(() => ended).toBe(2);
});

test('an id names one stream at a time, which ends alone', async () => {
  const { socket, say, reply } = await opened();
  for (const id of [7, 8]) say({ id, method: 'operations.follow', input: INPUT });
  expect([await reply(), await reply()]).toMatchObject([{ id: 7 }, { id: 8 }]);
  say({ id: 7, method: 'operations.follow', input: INPUT });
  expect(await reply()).toMatchObject({ id: 7, error: { code: 'bad-call' } });
  say({ id: 7, method: 'leave' });
  expect(await reply()).toEqual({ id: 7, result: null });
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  // Nothing of this id is open now.
  say({ id: 7, method: 'leave' });
  say({ id: 7, method: 'operations.follow', input: INPUT });
  expect(await reply()).toMatchObject({ id: 7, event: { type: 'progress' } });
  socket.destroy();
  await expect.poll(() => ended).toBe(3);
});
