import { describe, expect, test } from 'vitest';
import type { FeedContent, KnownInfra } from '../../core/infra/feed.js';
import { emptyInventory } from '../../core/infra/inventory.js';
import { Outbox } from './outbox.js';

const AT = '2026-01-01T00:00:00.000Z';
const known: KnownInfra = {
  inventory: emptyInventory({ workspace: 'w', infra: 'i', uuid: 'u' }),
  definitions: { entries: [], contents: {} },
};
const change = (grant: number): FeedContent => ({
  kind: 'changes',
  operation: `o-${grant}`,
  actor: 'ada',
  grant,
  changes: [{ change: 'server-gone', name: 'web-1' }],
});
const numbers = (outbox: Outbox) => outbox.next().map(({ sequence }) => sequence);

describe('the outbox', () => {
  test('gives away in order what is not kept, the same again until it is', () => {
    const outbox = new Outbox();
    for (const grant of [1, 2, 1]) outbox.put(change(grant), AT);
    expect([numbers(outbox), numbers(outbox)]).toEqual([
      [1, 2, 3],
      [1, 2, 3],
    ]);
    outbox.kept(2);
    expect([numbers(outbox), outbox.hasOf(1), outbox.hasOf(2)]).toEqual([[3], true, false]);
    outbox.kept(3);
    expect([outbox.size, outbox.hasOf(1)]).toEqual([0, false]);
  });

  test('begins with a snapshot or an end, or has none among the next', () => {
    const outbox = new Outbox();
    outbox.put(change(1), AT);
    outbox.put({ kind: 'snapshot', ...known }, AT);
    outbox.put(change(2), AT);
    outbox.end(AT);
    const given: number[][] = [];
    while (outbox.size > 0) {
      given.push(numbers(outbox));
      outbox.kept(given.at(-1)?.at(-1) ?? 0);
    }
    expect(given).toEqual([[1], [2, 3], [4]]);
  });

  test('goes on with its numbers in the next run, and says once that the infra has ended', () => {
    const outbox = new Outbox();
    outbox.end(AT);
    expect(outbox.size).toBe(0);
    outbox.put(change(1), AT);
    const next = new Outbox(JSON.parse(JSON.stringify(outbox.state())));
    next.end(AT);
    next.end(AT);
    expect(numbers(next)).toEqual([1]);
    next.kept(2);
    const last = new Outbox(next.state());
    last.end(AT);
    expect(last.size).toBe(0);
    // It goes on after all.
    last.put(change(2), AT);
    last.end(AT);
    expect(last.last).toBe(4);
  });

  test('has no more than is good: a snapshot takes the place of all, and is waited for by all', () => {
    const outbox = new Outbox();
    for (let grant = 1; grant <= 2_001; grant++) outbox.put(change(grant), AT);
    expect([outbox.isLong, outbox.next().length]).toEqual([true, 500]);
    outbox.replace(known, AT);
    expect([outbox.isLong, numbers(outbox), outbox.hasOf(7)]).toEqual([false, [2_002], true]);
    // A next run, too, must not answer that the changes are kept.
    const next = new Outbox(JSON.parse(JSON.stringify(outbox.state())));
    for (const one of [outbox, next]) {
      expect([one.hasOf(7), one.hasOf(2_002)]).toEqual([true, false]);
      one.kept(2_002);
      expect([one.hasOf(7), one.state()]).toEqual([false, { last: 2_002, waiting: [] }]);
    }
  });
});
