import { expect, test } from 'vitest';
import type { FeedEntry } from '../../../core/infra/feed.js';
import { emptyInventory } from '../../../core/infra/inventory.js';
import type { Stores } from '../../../stores/stores.js';
import type { TwoStores } from './two-stores.js';

const EMPTY = { entries: [], contents: {} };
const gone = (sequence: number, name: string): FeedEntry => ({
  sequence,
  at: '2026-01-01T00:00:00.000Z',
  content: { kind: 'changes', operation: 'o', actor: 'ada', grant: 1, changes: [{ change: 'server-gone', name }] },
});

export function feedsContract(stores: () => TwoStores): void {
  test('a feed has what was appended from the last snapshot on, whoever appends, and however often', async () => {
    const { one, two } = stores();
    const life = { workspace: 'w', infra: 'fed', uuid: 'life-1' };
    const [first, second, third] = [gone(1, 'a'), gone(2, 'ä'.repeat(100_000)), gone(3, 'c')];
    expect(await one.feeds.read(life)).toEqual([]);
    await one.feeds.append(life, [first]);
    await two.feeds.append(life, [first, second]);
    // Repeated later, it is the same change.
    await one.feeds.append(life, [{ ...second, at: '2027-01-01T00:00:00.000Z' }, third]);
    await two.feeds.append({ ...life, uuid: 'life-0' }, [{ ...first, content: { kind: 'ended' } }]);
    await two.feeds.append({ ...life, infra: 'other', uuid: 'life-2' }, [first]);
    const ended = { uuid: 'life-0', entries: [{ ...first, content: { kind: 'ended' } }] };
    expect(await two.feeds.read(life)).toEqual([ended, { uuid: 'life-1', entries: [first, second, third] }]);

    const inventory = emptyInventory(life);
    const snapshot: FeedEntry = { ...third, sequence: 4, content: { kind: 'snapshot', inventory, definitions: EMPTY } };
    await one.feeds.append(life, [snapshot, gone(5, 'd')]);
    await two.feeds.append(life, [snapshot, gone(5, 'd'), gone(6, 'e')]);
    const after = { uuid: 'life-1', entries: [snapshot, gone(5, 'd'), gone(6, 'e')] };
    expect(await one.feeds.read(life)).toEqual([ended, after]);
    await Promise.all([one.feeds.check(), two.feeds.check()]);
    await two.feeds.append({ workspace: 'v', infra: 'other', uuid: 'life-v' }, [first]);
    const listed = (await one.feeds.infras()).map(({ workspace, infra }) => `${workspace}/${infra}`);
    expect(listed).toEqual(['v/other', ...listed.filter((name) => name.startsWith('w/'))]);
    expect(listed.filter((name) => name === 'w/other' || name === `w/${life.infra}`)).toEqual([`w/${life.infra}`, 'w/other']);
  });

  test('how far feeds are is known without opening them, of one infra and of a workspace', async () => {
    const { one, two } = stores();
    const life = { workspace: 'heads', infra: 'ä/b', uuid: 'life-h1' };
    const heads = (store: Stores, infra?: string) => store.feeds.heads({ workspace: 'heads', infra });
    expect(await heads(one)).toEqual([]);
    await one.feeds.append(life, [gone(1, 'a'), gone(2, 'b')]);
    await one.feeds.append({ ...life, infra: 'other', uuid: 'life-h2' }, [gone(1, 'a')]);
    for (const store of [one, two, one]) {
      expect(await heads(store, 'ä/b')).toEqual([{ infra: 'ä/b', uuid: 'life-h1', last: 2 }]);
      expect((await heads(store)).map(({ infra, last }) => [infra, last]).sort()).toEqual([
        ['other', 1],
        ['ä/b', 2],
      ]);
    }
    await two.feeds.append(life, [gone(3, 'c')]);
    expect(await heads(one, 'ä/b')).toMatchObject([{ last: 3 }]);
    await two.feeds.append(life, [{ ...gone(12, ''), content: { kind: 'ended' } }]);
    await two.feeds.append({ ...life, uuid: 'life-h3' }, [gone(1, 'd')]);
    const both = (await heads(one, 'ä/b')).map(({ uuid, last }) => [uuid, last]).sort();
    expect(both).toEqual([
      ['life-h1', 12],
      ['life-h3', 1],
    ]);
    expect(await heads(one, 'unknown')).toEqual([]);
  });

  test('nothing is written over in a feed, and nothing left out', async () => {
    const { one, two } = stores();
    const life = { workspace: 'w', infra: 'kept-feed', uuid: 'life-3' };
    const inventory = emptyInventory(life);
    const base = (sequence: number): FeedEntry => ({
      ...gone(sequence, ''),
      content: { kind: 'snapshot', inventory, definitions: EMPTY },
    });
    const refused = (store: Stores, entries: FeedEntry[]) => store.feeds.append(life, entries).catch((error) => error.details.code);
    expect(await refused(one, [gone(2, 'b')])).toBe('feed-gap');
    await one.feeds.append(life, [gone(1, 'a'), gone(2, 'b')]);
    expect(await refused(two, [gone(2, 'other')])).toBe('feed-conflict');
    // An entity that knows less than the feed begins with a snapshot, which would hide the entries that it does not
    // know.
    expect(await refused(two, [base(2), gone(3, 'x')])).toBe('feed-conflict');
    expect(await refused(one, [gone(4, 'd')])).toBe('feed-gap');
    // A snapshot contains everything that is missing.
    await two.feeds.append(life, [base(9)]);
    for (const store of [one, two]) {
      expect(await refused(store, [gone(3, 'c')])).toBe('feed-conflict');
      expect(await refused(store, [base(8)])).toBe('feed-conflict');
    }
    expect(await one.feeds.read(life)).toEqual([{ uuid: life.uuid, entries: [base(9)] }]);
  });

  test('of all who append to a feed at once, each change is there once', async () => {
    const { one, two } = stores();
    const life = { workspace: 'w', infra: 'raced-feed', uuid: 'life-4' };
    await one.feeds.append(life, [gone(1, '1')]);
    for (let sequence = 2; sequence <= 6; sequence++) {
      const entry = gone(sequence, String(sequence));
      await Promise.all(Array.from({ length: 6 }, (_, index) => (index % 2 ? one : two).feeds.append(life, [entry])));
    }
    const [feed] = await two.feeds.read(life);
    expect(feed?.entries).toEqual([1, 2, 3, 4, 5, 6].map((sequence) => gone(sequence, String(sequence))));
  });
}
