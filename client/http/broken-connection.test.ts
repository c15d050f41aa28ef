import { createServer, type IncomingHttpHeaders } from 'node:http';
import { connect, createServer as createTcpServer } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import type { ApiServer } from '../../api/listen/serve-api.js';
import { TOKEN } from '../../api/test-api.js';
import { exitCodeOfCommand } from '../../core/exit-codes.js';
import { ask, closeAll, collect, cursors, failureOf, listen, serve, upTo } from '../../test/support/api-clients.js';
import { ConnectionLost } from '../connection-lost.js';

afterEach(closeAll);

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

  test('goes on with a quiet stream however often a proxy cuts it', async () => {
    let connections = 0;
    const quiet = await listen(
      createServer((_, response) => {
        connections++;
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': quiet\n\n');
        setTimeout(() => (connections < 15 ? response.destroy() : response.end('event: end\ndata: {}\n\n')), 15);
      }),
    );
    expect(await collect(ask(quiet, TOKEN, 10).stream('things.follow', { thing: 'long' }, {}))).toEqual([]);
    expect(connections).toBe(15);
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

  test('waits for a change that is being done under its key, and sends no key where none is taken', async () => {
    const heard: unknown[] = [];
    const answers = [
      [409, { code: 'idempotency-key-in-use', blame: 'user', what: 'take the key', why: 'it is in use', retryAfterMs: 10 }],
      [400, { code: 'idempotency-key-refused', blame: 'user', what: 'take the key', why: 'the answer is a secret' }],
    ] as const;
    const keyed = await listen(
      createServer((request, response) => {
        const [status, details] = answers[heard.push(request.headers['idempotency-key']) - 1] ?? [204];
        response.writeHead(status, { 'content-type': 'application/problem+json' }).end(details && JSON.stringify(details));
      }),
    );
    expect(await ask(keyed).call('things.change', { thing: 'a' })).toBeUndefined();
    expect(heard).toEqual([expect.any(String), heard[0], undefined]);
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
