import { describe, expect, test } from 'vitest';
import { fc } from '../../test/support/fast-check.js';
import { type Candidate, choose, chooseAll, type Rules } from './choose.js';

const fresh = (file: string, seconds: number, on: string): Candidate => ({ file, seconds, on });
const stale = (file: string, seconds: number): Candidate => ({
  file,
  seconds,
  on: '2026-01-01T00:00',
  stale: 'its inputs changed',
});
const rules = (more: Partial<Rules> = {}): Rules => ({
  sentinels: [],
  inPart: [],
  budget: 100,
  againBudget: 100,
  draw: 'abc',
  renewed: new Set(),
  ...more,
});

describe('a run plays', () => {
  test('sentinels, also fresh ones and beyond the budget', () => {
    const choice = choose([stale('a', 900), fresh('b', 900, '2026-01-01')], rules({ sentinels: ['a', 'b'], budget: 0 }));
    expect(choice).toEqual({ whole: ['a', 'b'], inPart: [], left: [], fresh: [] });
  });

  test('what is stale, the longest first, and names what does not fit', () => {
    const choice = choose([stale('short', 10), stale('long', 95), stale('middle', 30)], rules());
    expect(choice.whole).toEqual(['long']);
    expect(choice.left.map(({ file }) => file)).toEqual(['middle', 'short']);
  });

  test('one stale file in any case, so that a long one has its turn', () => {
    expect(choose([stale('long', 9000)], rules()).whole).toEqual(['long']);
    expect(choose([stale('long', 9000)], rules({ budget: 0 })).whole).toEqual([]);
  });

  test('a file in part if it is fresh, and whole if it is stale', () => {
    expect(choose([fresh('a', 50, '2026-01-01')], rules({ inPart: ['a'] }))).toMatchObject({ whole: [], inPart: ['a'] });
    expect(choose([stale('a', 50)], rules({ inPart: ['a'] }))).toMatchObject({ whole: ['a'], inPart: [] });
  });

  test('the two oldest proofs again', () => {
    const all = ['c', 'a', 'd', 'b'].map((file, index) => fresh(file, 5, `2026-01-0${index + 1}`));
    const choice = choose(all, rules());
    expect(choice.whole).toEqual(['c', 'a']);
    expect(choice.fresh.map(({ file }) => file)).toEqual(['d', 'b']);
  });

  test('three of the new proofs again, others for another commit', () => {
    const all = Array.from({ length: 40 }, (_, index) => fresh(`f${index}`, 1, '2026-01-01'));
    const renewed = new Set(all.map(({ file }) => file));
    const drawn = (draw: string) => choose(all, rules({ draw, renewed })).whole;
    expect(drawn('abc')).toHaveLength(5);
    expect(drawn('abc')).toEqual(drawn('abc'));
    expect(drawn('abd')).not.toEqual(drawn('abc'));
    expect(choose(all, rules({ renewed: new Set() })).whole).toHaveLength(2);
  });
});

test('each file is played, left or fresh, and none twice', () => {
  const candidate = fc.record({
    file: fc.string({ minLength: 1 }),
    seconds: fc.nat(1000),
    on: fc.option(fc.constantFrom('2026-01-01', '2026-02-01'), { nil: undefined }),
    stale: fc.option(fc.constant('its inputs changed'), { nil: undefined }),
  });
  fc.assert(
    fc.property(
      fc.uniqueArray(candidate, { selector: ({ file }) => file }),
      fc.nat(500),
      fc.nat(500),
      (all, budget, againBudget) => {
        const files = all.map(({ file }) => file);
        const choice = choose(
          all,
          rules({ budget, againBudget, sentinels: files.slice(0, 2), inPart: files.slice(2, 4), renewed: new Set(files) }),
        );
        // Stale files beyond the budget may still be played in part.
        const left = choice.left.map(({ file }) => file).filter((file) => !choice.inPart.includes(file));
        const named = [...choice.whole, ...choice.inPart, ...left, ...choice.fresh.map(({ file }) => file)];
        expect([...named].sort()).toEqual([...files].sort());
        // No stale file counts as proven.
        expect(choice.fresh.filter((one) => one.stale !== undefined)).toEqual([]);
      },
    ),
  );
});

test('a full run plays all files, except files about services whose proofs hold', () => {
  const all = [fresh('a', 1, '2026-01-01T00:00'), stale('b', 1), fresh('of-redis', 1, '2026-01-01T00:00'), stale('of-nats', 1)];
  const { whole, inPart, left, fresh: held } = chooseAll(all, (file) => file.startsWith('of-'));
  expect(whole).toEqual(['a', 'b', 'of-nats']);
  expect([inPart, left, held.map(({ file }) => file)]).toEqual([[], [], ['of-redis']]);
  const every = chooseAll(all, () => false);
  expect([every.whole, every.fresh]).toEqual([all.map(({ file }) => file), []]);
});
