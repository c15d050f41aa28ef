import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import type { Feed, FeedEntry } from '../../core/infra/feed.js';
import { isBase } from '../../core/infra/feed.js';
import type { Engine } from '../engine.js';
import { followFeed } from '../infra/follow-feed.js';
import { type InfraEvent, infraEvent } from '../schemas/infra-event.js';

const pace = { firstMs: 0, everyMs: 5 };
const stops: AbortController[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop.abort();
});

const changed = (sequence: number): FeedEntry => ({
  sequence,
  at: `2026-01-01T00:${String(Math.floor(sequence / 60)).padStart(2, '0')}:${String(sequence % 60).padStart(2, '0')}.000Z`,
  content: { kind: 'changes', operation: `o-${sequence}`, actor: 'ada', changes: [{ change: 'server-gone', name: 'web' }] },
});
const base = (sequence: number, kind: 'snapshot' | 'ended'): FeedEntry =>
  ({ ...changed(sequence), content: { kind } }) as unknown as FeedEntry;

/** Creates feeds of a workspace that count their queries. */
function feedsOf() {
  const asked = { heads: 0, read: 0 };
  const lives = new Map<string, Feed & { infra: string }>();
  const feeds = {
    async heads({ infra }: { infra?: string | undefined }) {
      asked.heads++;
      const meant = [...lives.values()].filter((life) => infra === undefined || life.infra === infra);
      return meant.map(({ infra, uuid, entries }) => ({ infra, uuid, last: entries.at(-1)?.sequence ?? 0 }));
    },
    async read({ infra }: { infra: string }) {
      asked.read++;
      return [...lives.values()]
        .filter((life) => life.infra === infra)
        .map(({ uuid, entries }) => ({ uuid, entries: [...entries] }));
    },
  };
  function append(infra: string, uuid: string, ...entries: FeedEntry[]) {
    const life = lives.get(uuid) ?? { infra, uuid, entries: [] };
    for (const entry of entries) life.entries = isBase(entry) ? [entry] : [...life.entries, entry];
    lives.set(uuid, life);
  }
  // Another instance reads the same feeds.
  const instance = () => ({ stores: { feeds: { ...feeds } } }) as unknown as Engine;
  return { asked, append, instance };
}

interface Asked {
  infra?: string;
  after?: string | undefined;
  workspace?: string;
}

/** Follows until `count` events have come. */
function follow(engine: Engine, { workspace = 'w', ...asked }: Asked = {}) {
  const events: InfraEvent[] = [];
  const stop = new AbortController();
  stops.push(stop);
  const done = (async () => {
    for await (const event of followFeed(engine, { workspace, ...asked }, { signal: stop.signal, pace })) {
      expect(infraEvent.safeParse(event).error).toBeUndefined();
      events.push(event);
    }
  })();
  const until = async (count: number) => {
    while (events.length < count) await Promise.race([sleep(2), done.then(() => Promise.reject(new Error('it has ended')))]);
    await sleep(15);
    return events;
  };
  return { events, until, done, stop: () => stop.abort() };
}

const told = (events: InfraEvent[]) =>
  events.map((event) => (event.type === 'start' ? 'start' : `${event.infra} ${event.sequence} ${event.type}`));
const cursorAt = (events: InfraEvent[], index: number) => events.at(index)?.cursor as string;

describe('an infra', () => {
  test('is followed from now on by a thousand, for the questions of one', async () => {
    const { asked, append, instance } = feedsOf();
    append('shop', 'life', changed(1), changed(2));
    const engine = instance();
    const followers = Array.from({ length: 1_000 }, () => follow(engine, { infra: 'shop' }));
    await followers[0]?.until(1);
    expect(asked.read).toBe(0);
    append('shop', 'life', changed(3));
    await followers[0]?.until(2);
    append('shop', 'life', changed(4), changed(5));
    await followers[0]?.until(4);
    expect(asked.read).toBe(2);
    expect(asked.heads).toBeLessThan(500);
    for (const { events } of followers)
      expect(told(events)).toEqual(['start', 'shop 3 changes', 'shop 4 changes', 'shop 5 changes']);
  });

  test('is continued by any instance behind a cursor, and a thousand that come at once read it once', async () => {
    const { asked, append, instance } = feedsOf();
    append('shop', 'life', changed(1));
    const first = follow(instance(), { infra: 'shop' });
    await first.until(1);
    append('shop', 'life', changed(2), changed(3));
    await first.until(3);
    append('shop', 'life', changed(4));
    await first.until(4);
    asked.read = 0;
    for (const index of [0, 1, 2, 3]) {
      const other = instance();
      const late = Array.from({ length: 250 }, () => follow(other, { infra: 'shop', after: cursorAt(first.events, index) }));
      const rest = first.events.slice(index + 1);
      for (const events of await Promise.all(late.map(({ until }) => until(rest.length)))) expect(events).toEqual(rest);
    }
    expect(asked.read).toBe(3);
  });

  test('whose former events a snapshot replaced begins with the snapshot', async () => {
    const { append, instance } = feedsOf();
    append('shop', 'life', changed(1));
    const first = follow(instance(), { infra: 'shop' });
    const after = cursorAt(await first.until(1), 0);
    first.stop();
    append('shop', 'life', changed(2), base(3, 'snapshot'), changed(4));
    const late = follow(instance(), { infra: 'shop', after });
    expect(told(await late.until(2))).toEqual(['shop 3 snapshot', 'shop 4 changes']);
  });

  test('that was deleted and made again goes on with its next life', async () => {
    const { append, instance } = feedsOf();
    append('shop', 'z-life', changed(1));
    const engine = instance();
    const first = follow(engine, { infra: 'shop' });
    await first.until(1);
    append('shop', 'z-life', base(2, 'ended'));
    append('shop', 'a-life', changed(3));
    const events = await first.until(3);
    expect(told(events)).toEqual(['start', 'shop 2 ended', 'shop 3 changes']);
    const late = follow(instance(), { infra: 'shop', after: cursorAt(events, 1) });
    expect(told(await late.until(1))).toEqual(['shop 3 changes']);
  });
});

describe('a workspace', () => {
  test('is continued exactly, also between two infras that change at once', async () => {
    const { append, instance } = feedsOf();
    append('a', 'life-a', changed(1));
    append('b', 'life-b', changed(1));
    const first = follow(instance());
    await first.until(1);
    append('b', 'life-b', changed(2), changed(3));
    append('a', 'life-a', changed(2));
    append('c', 'life-c', changed(1));
    const events = await first.until(5);
    expect([...told(events)].sort()).toEqual(['a 2 changes', 'b 2 changes', 'b 3 changes', 'c 1 changes', 'start']);
    for (const index of [0, 1, 2, 3, 4]) {
      const late = follow(instance(), { after: cursorAt(events, index) });
      expect(told(await late.until(4 - index)).sort()).toEqual(told(events.slice(index + 1)).sort());
      late.stop();
    }
  });
});

describe('a follower', () => {
  test('that is slow holds nobody, and reads what it missed', async () => {
    const { append, instance } = feedsOf();
    append('shop', 'life', changed(1));
    const engine = instance();
    const slow = followFeed(engine, { workspace: 'w', infra: 'shop' }, { pace });
    expect((await slow.next()).value).toMatchObject({ type: 'start' });
    const quick = follow(engine, { infra: 'shop' });
    await quick.until(1);
    for (let at = 2; at <= 600; at += 2) append('shop', 'life', changed(at), changed(at + 1));
    await quick.until(601);
    const seen: number[] = [];
    while (seen.length < 600) {
      const { value } = await slow.next();
      seen.push((value as { sequence: number }).sequence);
    }
    expect(seen).toEqual(Array.from({ length: 600 }, (_, index) => index + 2));
    await slow.return(undefined);
  });

  test('that leaves ends the reading, and an error of the feeds reaches all', async () => {
    const { asked, append, instance } = feedsOf();
    const engine = instance();
    const one = follow(engine);
    await one.until(1);
    one.stop();
    await one.done;
    const before = asked.heads;
    await sleep(30);
    expect(asked.heads).toBe(before);
    const two = [follow(engine), follow(engine)];
    await two[1]?.until(1);
    append('broken', 'life', changed(1));
    engine.stores.feeds.read = async () => Promise.reject(new Error('no disk'));
    for (const { done } of two) await expect(done).rejects.toThrow('no disk');
  });

  test.each([
    ['of another infra', async (cursor: string) => cursor, { infra: 'other' }],
    ['of a workspace', async (cursor: string) => cursor, {}],
    ['that is cut off', async (cursor: string) => cursor.slice(0, -2), { infra: 'shop' }],
    ['with more behind it', async (cursor: string) => `${cursor}AAAA`, { infra: 'shop' }],
    ['of nothing', async () => 'AA', { infra: 'shop' }],
    ['in other letters', async () => '../../etc/passwd', { infra: 'shop' }],
    ['of many', async () => 'A'.repeat(70_000), { infra: 'shop' }],
  ])('with a cursor %s is refused', async (_, madeOf, place) => {
    const { append, instance } = feedsOf();
    append('shop', 'life', changed(1), changed(300));
    const engine = instance();
    const cursor = cursorAt(await follow(engine, { infra: 'shop' }).until(1), 0);
    const after = await madeOf(cursor);
    await expect(follow(engine, { ...place, after }).done).rejects.toMatchObject({ details: { code: 'bad-cursor' } });
  });

  test('whose feed was restored from a backup is refused', async () => {
    const { append, instance } = feedsOf();
    append('shop', 'life', changed(1), changed(2));
    const after = cursorAt(await follow(instance(), { infra: 'shop' }).until(1), 0);
    const restored = feedsOf();
    restored.append('shop', 'life', changed(1));
    const { done } = follow(restored.instance(), { infra: 'shop', after });
    await expect(done).rejects.toMatchObject({ details: { code: 'bad-cursor' } });
  });
});
