import { expect, test } from 'vitest';
import { type LogEvent, streamLogs } from './follow-logs.js';

const pace = { firstMs: 1, everyMs: 2 };

/** An operation whose output the test writes. */
function operation() {
  const outputs = new Map<string, string>();
  const state = { ended: false, reads: 0 };
  const owner = {};
  const begin = () => ({
    hasEnded: async () => state.ended,
    async read() {
      state.reads++;
      return [...outputs].map(([unit, text]) => ({ server: unit.split('/')[0] ?? '', taskserv: unit.split('/')[1] ?? '', text }));
    },
  });
  const follow = (more: { after?: string; server?: string; signal?: AbortSignal } = {}) =>
    streamLogs(owner, 'op', { begin, pace, ...more });
  return { outputs, state, follow };
}

/** Reads so many events, or all until the end. */
async function take(events: AsyncGenerator<LogEvent>, count = Number.POSITIVE_INFINITY): Promise<LogEvent[]> {
  const seen: LogEvent[] = [];
  for (let at = 0; at < count; at++) {
    const { done, value } = await events.next();
    if (done) break;
    seen.push(value);
  }
  return seen;
}

const shown = (events: LogEvent[]) => events.map(({ server, taskserv, text }) => `${server}/${taskserv}: ${text}`);

test('output comes as it is kept, each part once, until the operation ends', async () => {
  const { outputs, state, follow } = operation();
  outputs.set('web/nginx', 'one\n');
  const events = follow();
  expect(shown(await take(events, 1))).toEqual(['web/nginx: one\n']);
  outputs.set('web/nginx', 'one\ntwo\n').set('db/redis', 'three\n');
  expect(shown(await take(events, 2)).sort()).toEqual(['db/redis: three\n', 'web/nginx: two\n']);
  outputs.set('db/redis', 'three\nfour\n');
  state.ended = true;
  expect(shown(await take(events))).toEqual(['db/redis: four\n']);
});

test('a caller that comes back gets what it does not have, from any instance', async () => {
  const { outputs, state, follow } = operation();
  outputs.set('web/nginx', 'one\n').set('db/redis', 'two\n');
  const [first, second] = await take(follow(), 2);
  outputs.set('web/nginx', 'one\nthree\n');
  state.ended = true;
  expect(shown(await take(follow({ after: first?.cursor ?? '' })))).toEqual(['web/nginx: three\n', 'db/redis: two\n']);
  expect(shown(await take(follow({ after: second?.cursor ?? '' })))).toEqual(['web/nginx: three\n']);
});

test('another attempt is waited for while it repeats what is known, and begins again where it differs', async () => {
  const { outputs, state, follow } = operation();
  outputs.set('web/nginx', 'one\ntwo\n');
  const events = follow();
  await take(events, 1);
  outputs.set('web/nginx', 'one\n');
  const next = events.next();
  await new Promise((resolve) => setTimeout(resolve, 20));
  outputs.set('web/nginx', 'one\ntwo\nthree\n');
  expect((await next).value).toMatchObject({ text: 'three\n' });
  outputs.set('web/nginx', 'failed\n');
  state.ended = true;
  expect(await take(events)).toMatchObject([{ text: 'failed\n', again: true }]);
});

test('a large output comes in parts', async () => {
  const { outputs, state, follow } = operation();
  outputs.set('web/nginx', 'x'.repeat(150_000));
  state.ended = true;
  expect((await take(follow())).map(({ text }) => text.length)).toEqual([65_536, 65_536, 18_928]);
});

test('two entries of one taskserv, and the output of other servers, stay apart', async () => {
  const { state } = operation();
  state.ended = true;
  const entries = ['one', 'two'].map((text) => ({ server: 'web', taskserv: 'nginx', text }));
  const begin = () => ({
    hasEnded: async () => true,
    read: async () => [...entries, { server: 'db', taskserv: 'redis', text: 'x' }],
  });
  expect(shown(await take(streamLogs({}, 'op', { begin, pace, server: 'web' })))).toEqual(['web/nginx: one', 'web/nginx: two']);
});

test('all followers share one reader, which ends with the last of them', async () => {
  const { outputs, state, follow } = operation();
  outputs.set('web/nginx', 'one\n');
  const stops = Array.from({ length: 20 }, () => new AbortController());
  const followers = stops.map(({ signal }) => take(follow({ signal })));
  await new Promise((resolve) => setTimeout(resolve, 50));
  for (const stop of stops) stop.abort();
  expect((await Promise.all(followers)).map((events) => events.length)).toEqual(Array(20).fill(1));
  const { reads } = state;
  // Not twenty readers, each of which would read every 2 ms.
  expect(reads).toBeLessThan(60);
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(state.reads).toBeLessThanOrEqual(reads + 1);
});

test.each(['x', 'aaaaaa.b', ''.padStart(20, '.')])('%s is no cursor', async (after) => {
  const { follow } = operation();
  await expect(take(follow({ after }))).rejects.toMatchObject({ details: { code: 'bad-cursor' } });
});
