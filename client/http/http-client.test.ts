import { createServer, type IncomingHttpHeaders } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { type ApiServer, serveApi } from '../../api/listen/serve-api.js';
import { placeMethod } from '../../api/routes/route.js';
import { createTestApi, createTestMethods, TOKEN } from '../../api/test-api.js';
import type { MethodPlace } from '../../app/method-place.js';
import { PLACES } from '../../app/method-places.generated.js';
import { METHODS } from '../../app/methods.generated.js';
import { ProvisioningError } from '../../core/errors.js';
import { exitCodeOfCommand } from '../../core/exit-codes.js';
import type { Carrier } from '../client.js';
import { ConnectionLost } from '../connection-lost.js';
import { createHttpCarrier, httpClient } from './http-client.js';

const places: Record<string, MethodPlace> = Object.fromEntries(
  Object.values(createTestMethods({ calls: [], aborted: [] })).map((method) => {
    const { verb, path, waits } = placeMethod(method);
    const resumes = method.kind === 'stream';
    const safe = verb === 'GET';
    return [
      method.name,
      { verb, path, ...(safe && { safe }), ...(waits && { waits }), ...(resumes && { resumes }) } as MethodPlace,
    ];
  }),
);

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of cleanups.splice(0).reverse()) await close();
});

async function serve(port = 0) {
  const made = createTestApi();
  const server: ApiServer = await serveApi(made.api, {
    address: { host: '127.0.0.1', port },
    log: () => {},
    times: { stopping: 100 },
  });
  cleanups.push(() => server.close());
  return { ...made, server };
}

function ask(url: string, token = TOKEN): Carrier {
  const carrier = createHttpCarrier({ url, token }, places);
  cleanups.push(() => carrier.close());
  return carrier;
}

/** A server that does with connections what a test says. */
async function listen(server: Server): Promise<string> {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => void open.add(socket.on('error', () => {})));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(async () => {
    for (const socket of open) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function failureOf(promise: Promise<unknown>): Promise<ProvisioningError> {
  const error = await promise.then(
    (answer) => new Error(`it answers ${JSON.stringify(answer)}`),
    (failure: unknown) => failure,
  );
  if (error instanceof ProvisioningError) return error;
  throw error;
}

async function collect(stream: AsyncIterable<unknown>): Promise<unknown[]> {
  const events: unknown[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

const cursors = (events: unknown[]) => events.map((event) => (event as { cursor: string }).cursor);
const upTo = (last: number) => Array.from({ length: last }, (_, index) => `c${index + 1}`);

describe('a client over HTTP', () => {
  test('puts each input where its method has its place, without who asks', async () => {
    const { server, heard } = await serve();
    const { call } = ask(server.origin);
    const input = { limit: 3, marks: ['a', 'b c'], all: true, filter: { colour: 'r&d' } };
    expect(await call('things.list', input)).toEqual({ items: [], input });
    expect(await call('things.list', { marks: [] })).toEqual({ items: [], input: { marks: [] } });
    expect(await call('things.get', { thing: 'hetzner/prod' })).toEqual({ thing: 'hetzner/prod' });
    const change = { thing: 'a', actor: 'eve@x', request: { actor: 'eve@x', id: 'op' }, why: undefined };
    expect(await call('things.change', change)).toBeUndefined();
    expect(heard.calls.at(-1)).toEqual({
      name: 'things.change',
      actor: 'ann@desk',
      input: { thing: 'a', request: { id: 'op' } },
    });
    expect((await failureOf(call('things.get', { thing: '' }))).message).toContain('thing is missing');
    expect((await failureOf(call('things.list', { marks: ['a,b'] }))).message).toContain('has a comma');
  });

  test('waits for an end over several requests', async () => {
    const { server } = await serve();
    expect(await ask(server.origin).call('things.result', { thing: 'ended' })).toEqual({ done: true });
    let asked = 0;
    const waited: (string | undefined)[] = [];
    const slow = await listen(
      createServer((request, response) => {
        waited.push(request.headers.prefer as string);
        const ended = ++asked > 2;
        response.writeHead(ended ? 200 : 202, { 'content-type': 'application/json' }).end(JSON.stringify({ ended }));
      }),
    );
    expect(await ask(slow).call('things.result', { thing: 'slow' })).toEqual({ ended: true });
    expect(waited).toEqual(['wait=30', 'wait=30', 'wait=30']);
  });

  test('has the errors of the socket: code, blame, hint and exit code', async () => {
    const { server } = await serve();
    const { call } = ask(server.origin);
    const gone = await failureOf(call('things.get', { thing: 'gone' }));
    expect(gone.details).toEqual({
      ...{ code: 'unknown-infra', blame: 'user', what: 'find the thing', on: 'gone', why: 'there is no such thing' },
    });
    expect(exitCodeOfCommand(gone.details)).toBe(2);
    const broken = await failureOf(call('things.get', { thing: 'broken' }));
    expect([broken.details.code, broken.details.blame, broken.message.includes('hunter2')]).toEqual(['unexpected', 'bug', false]);
    const stranger = await failureOf(ask(server.origin, 'prov_1_guess').call('things.get', { thing: 'a' }));
    expect(stranger.details).toMatchObject({ code: 'bad-token', hint: expect.stringContaining('provisioning login') });
    expect(stranger.message).not.toContain('guess');
    const strange = await failureOf(call('things.get', { thing: '..' }));
    expect(strange.details.code).toBe('bad-request');
  });

  test('follows a stream to its end, to its problem, or until it is left', async () => {
    const { server, heard } = await serve();
    const { stream } = ask(server.origin);
    expect(cursors(await collect(stream('things.follow', { thing: 'short' }, {})))).toEqual(upTo(3));
    expect(cursors(await collect(stream('things.follow', { thing: 'short', after: 'c2' }, {})))).toEqual(['c3']);
    const bad = await failureOf(collect(stream('things.follow', { thing: 'short', after: 'bad' }, {})));
    expect(bad.details.code).toBe('bad-cursor');
    const breaks = await failureOf(collect(stream('things.follow', { thing: 'breaks' }, {})));
    expect(breaks.details.code).toBe('unexpected');
    const leaving = new AbortController();
    const seen: unknown[] = [];
    for await (const event of stream('things.follow', { thing: 'endless' }, { signal: leaving.signal })) {
      seen.push(event);
      if (seen.length === 3) leaving.abort();
    }
    expect(cursors(seen)).toEqual(upTo(3));
    await expect.poll(() => heard.aborted).toContain('endless');
  });
});

describe('a client whose connection breaks', () => {
  test('goes on with a stream after its last event, however often it is cut', async () => {
    const { server } = await serve();
    const port = Number(new URL(server.origin).port);
    let connections = 0;
    const cutting = await listen(
      createTcpServer((socket) => {
        connections++;
        let left = 700_000;
        const behind = connect(port, '127.0.0.1');
        socket.on('error', () => {}).pipe(behind);
        behind
          .on('error', () => {})
          .on('data', (chunk: Buffer) => {
            socket.write(chunk.subarray(0, Math.max(0, left)));
            left -= chunk.length;
            if (left > 0) return;
            socket.destroySoon();
            behind.destroy();
          });
        behind.on('close', () => socket.destroySoon());
      }),
    );
    const events = await collect(ask(cutting).stream('things.follow', { thing: 'long' }, {}));
    expect(cursors(events)).toEqual(upTo(500));
    expect(connections).toBeGreaterThan(5);
  });

  test('goes on with a stream when the server is started again', async () => {
    const { server } = await serve();
    const { stream } = ask(server.origin);
    const seen: unknown[] = [];
    let again: { server: ApiServer } | undefined;
    for await (const event of stream('things.follow', { thing: 'long' }, {})) {
      seen.push(event);
      if (seen.length !== 10) continue;
      await server.close();
      again = await serve(Number(new URL(server.origin).port));
    }
    expect(again).toBeDefined();
    expect(cursors(seen)).toEqual(upTo(500));
  });

  test('says of a change that it may have taken effect, and sends it once', async () => {
    const keys: unknown[] = [];
    const losing = await listen(
      createServer((request, response) => {
        if (request.url === '/version') return response.setHeader('content-type', 'application/json').end('{"version":"1"}');
        keys.push(request.headers['idempotency-key']);
        return request.socket.destroy();
      }),
    );
    const carrier = ask(losing);
    const lost = await failureOf(carrier.call('things.change', { thing: 'a' }));
    expect(lost).toBeInstanceOf(ConnectionLost);
    expect(lost.details).toMatchObject({ code: 'answer-lost', on: 'things.change', hint: expect.stringContaining('audit list') });
    expect(exitCodeOfCommand(lost.details)).toBe(3);
    expect(keys).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/)]);
    expect((await failureOf(carrier.call('things.get', { thing: 'a' }))).details.code).toBe('server-unreachable');
  });

  test('sends a change again under its key to a server that knows keys', async () => {
    const heard: IncomingHttpHeaders[] = [];
    const losing = await listen(
      createServer((request, response) => {
        response.setHeader('content-type', 'application/json');
        if (request.url === '/version') return response.end('{"version":"1","idempotencyKeys":true}');
        if (heard.push(request.headers) === 1) return request.socket.destroy();
        return response.writeHead(204).end();
      }),
    );
    const carrier = ask(losing);
    expect(await carrier.call('things.change', { thing: 'a' })).toBeUndefined();
    const [first, second] = heard.map((headers) => headers['idempotency-key']);
    expect(first).toBe(second);
    await carrier.call('things.change', { thing: 'a' });
    expect(heard[2]?.['idempotency-key']).not.toBe(first);
  });

  test('says that nothing was sent if nobody answers, and whether somebody has answered before', async () => {
    const { server } = await serve();
    const carrier = ask(server.origin);
    await carrier.call('things.get', { thing: 'a' });
    await server.close();
    const later = await failureOf(carrier.call('things.change', { thing: 'a' }));
    expect([later.details.code, later instanceof ConnectionLost]).toEqual(['server-unreachable', true]);
    expect(later.message).toContain('nothing was sent');
    const first = await failureOf(ask(server.origin).call('things.get', { thing: 'a' }));
    expect([first.details.code, first instanceof ConnectionLost]).toEqual(['server-unreachable', false]);
  });

  test('asks again what was refused because there were too many', async () => {
    let asked = 0;
    const busy = await listen(
      createServer((_, response) => {
        const details = { code: 'rate-limited', blame: 'weather', what: 'ask', why: 'too many', retryAfterMs: 10 };
        if (++asked > 2) return response.writeHead(200, { 'content-type': 'application/json' }).end('{"thing":"a"}');
        return response.writeHead(429, { 'content-type': 'application/problem+json' }).end(JSON.stringify(details));
      }),
    );
    expect(await ask(busy).call('things.get', { thing: 'a' })).toEqual({ thing: 'a' });
    expect(asked).toBe(3);
  });

  test('takes no page of a proxy for an answer, and follows no redirect', async () => {
    let status = 502;
    const proxy = await listen(
      createServer((request, response) => {
        const headers = {
          'content-type': 'text/html',
          ...(status === 302 && { location: `http://${request.headers.host}/other` }),
        };
        response.writeHead(status, headers).end('<p>prov_1_good</p>');
      }),
    );
    const { call } = ask(proxy);
    expect((await failureOf(call('things.change', { thing: 'a' }))).details.code).toBe('answer-lost');
    expect((await failureOf(call('things.get', { thing: 'a' }))).details.code).toBe('server-unreachable');
    status = 302;
    expect((await failureOf(call('things.get', { thing: 'a' }))).message).toContain('status 302 is no server of the API');
  });
});

test('each method has the place that the server gives it', () => {
  expect(Object.keys(PLACES)).toEqual(Object.keys(METHODS));
  for (const method of Object.values(METHODS)) {
    const { verb, path } = placeMethod(method);
    expect(PLACES[method.name]).toMatchObject({ verb, path });
  }
  const client = httpClient({ url: 'http://127.0.0.1:1', token: TOKEN }) as unknown as Record<string, Record<string, unknown>>;
  for (const name of Object.keys(METHODS)) {
    const [group = '', verb = ''] = name.split('.');
    expect([name, typeof client[group]?.[verb]]).toEqual([name, 'function']);
  }
});
