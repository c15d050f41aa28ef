import { createServer } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { placeMethod } from '../../api/routes/route.js';
import { TOKEN } from '../../api/test-api.js';
import { PLACES } from '../../app/method-places.generated.js';
import { METHODS } from '../../app/methods.generated.js';
import { exitCodeOfCommand } from '../../core/exit-codes.js';
import { ask, closeAll, collect, cursors, failureOf, listen, serve, upTo } from '../../test/support/api-clients.js';
import { httpClient } from './http-client.js';

afterEach(closeAll);

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
    expect(waited).toEqual(['wait=8', 'wait=8', 'wait=8']);
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
