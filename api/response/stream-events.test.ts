import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { ann, createTestApi, problemIn, TOKEN } from '../test-api.js';
import { PACE, streamEvents } from './stream-events.js';

/** Returns the blocks of a stream, until it ends or `count` blocks have come. */
async function blocksOf(response: Response, count = Number.POSITIVE_INFINITY): Promise<string[]> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const blocks: string[] = [];
  let rest = '';
  while (reader && blocks.length < count) {
    const { done, value } = await reader.read();
    if (done) return blocks;
    const parts = `${rest}${value}`.split('\n\n');
    rest = parts.pop() ?? '';
    blocks.push(...parts);
  }
  await reader?.cancel();
  return blocks.slice(0, count);
}

const until = async (isSo: () => boolean) => {
  while (!isSo()) await sleep(2);
};

test('a stream has events with their cursors, and an end', async () => {
  const { ask } = createTestApi();
  const response = await ask('GET', '/v1/things/x/follow');
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(response.headers.get('x-accel-buffering')).toBe('no');
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(await blocksOf(response)).toEqual([
    'retry: 2000',
    'id: c1\ndata: {"cursor":"c1","at":1}',
    'id: c2\ndata: {"cursor":"c2","at":2}',
    'id: c3\ndata: {"cursor":"c3","at":3}',
    'event: end\ndata: {}',
  ]);
});

test('a client that comes back gets what it has not seen, from any instance', async () => {
  const blocks = await blocksOf(await createTestApi().ask('GET', '/v1/things/x/follow'), 3);
  expect(blocks.at(-1)).toContain('"at":2');
  const other = createTestApi();
  const again = await other.ask('GET', '/v1/things/x/follow?after=c1', { headers: { 'last-event-id': 'c2' } });
  expect((await blocksOf(again)).map((block) => block.split('\n')[0])).toEqual(['retry: 2000', 'id: c3', 'event: end']);
});

test('an event that several streams have is written once', async () => {
  let written = 0;
  const event = { cursor: 'c1', toJSON: () => ({ written: ++written }) };
  const open = async function* () {
    yield event;
  };
  const stream = () => streamEvents(open, { request: 'r', stop: new AbortController(), check: async () => {} });
  const all = await Promise.all([stream(), stream(), stream()].map(async (one) => blocksOf(await one)));
  expect(all).toEqual(Array(3).fill(['retry: 2000', 'id: c1\ndata: {"written":1}', 'event: end\ndata: {}']));
});

test('an error before the first event has its own status, and frees the place', async () => {
  const { ask } = createTestApi();
  expect(await problemIn(await ask('GET', '/v1/things/x/follow', { headers: { 'last-event-id': 'bad' } }))).toBe('400 bad-cursor');
});

test('an error later is the last event, without the text of what is none of ours', async () => {
  const blocks = await blocksOf(await createTestApi().ask('GET', '/v1/things/breaks/follow'));
  const [name, data = ''] = (blocks.at(-1) ?? '').split('\n');
  expect(name).toBe('event: problem');
  expect(JSON.parse(data.slice('data: '.length))).toMatchObject({ status: 500, code: 'unexpected' });
  expect(data).not.toContain('hunter2');
});

describe('a stream ends', () => {
  test('when its client leaves', async () => {
    const { ask, heard } = createTestApi();
    await blocksOf(await ask('GET', '/v1/things/endless/follow'), 4);
    await until(() => heard.aborted.includes('endless'));
  });

  test('when its token is revoked', async () => {
    let isRevoked = false;
    const pace = { ...PACE, checkMs: 5 };
    const { ask, heard } = createTestApi({
      pace,
      principalOf: async (bearer) => (bearer === TOKEN && !isRevoked ? ann : undefined),
    });
    const response = await ask('GET', '/v1/things/endless/follow');
    isRevoked = true;
    const last = (await blocksOf(response)).at(-1) ?? '';
    expect(last).toContain('event: problem');
    expect(last).toContain('"code":"bad-token"');
    await until(() => heard.aborted.includes('endless'));
  });

  test('when the server stops, without a last event, so that the client comes back', async () => {
    const { ask, api } = createTestApi();
    const response = await ask('GET', '/v1/things/endless/follow');
    api.endStreams();
    expect((await blocksOf(response)).filter((block) => block.startsWith('event:'))).toEqual([]);
  });

  test('when its client reads nothing', async () => {
    const { ask, heard } = createTestApi({ pace: { ...PACE, heartbeatMs: 5, stalledMs: 20 } });
    await ask('GET', '/v1/things/long/follow');
    await until(() => heard.aborted.includes('long'));
  });
});

test('a quiet stream has comments', async () => {
  const { ask } = createTestApi({ pace: { ...PACE, heartbeatMs: 5 } });
  const blocks = await blocksOf(await ask('GET', '/v1/things/endless/follow'), 7);
  expect(blocks.slice(4)).toEqual([':', ':', ':']);
});

test('a client that reads nothing holds at most 1 MiB, and gets the rest when it reads', async () => {
  const { ask, heard } = createTestApi();
  const response = await ask('GET', '/v1/things/long/follow');
  await until(() => heard.calls.length >= 100);
  await sleep(20);
  expect(heard.calls.length).toBeLessThan(130);
  expect(await blocksOf(response)).toHaveLength(1 + 500 + 1);
});

test('a principal cannot have more than a hundred', async () => {
  const { ask, api } = createTestApi();
  const all = await Promise.all(Array.from({ length: 101 }, () => ask('GET', '/v1/things/endless/follow')));
  const [refused, ...others] = all.filter(({ status }) => status !== 200);
  expect(others).toEqual([]);
  expect(refused?.headers.get('retry-after')).toBe('5');
  expect(await problemIn(refused as Response)).toBe('429 rate-limited');
  api.endStreams();
  expect((await ask('GET', '/v1/things/x/follow')).status).toBe(200);
});
