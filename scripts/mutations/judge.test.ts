import { describe, expect, test } from 'vitest';
import type { Played } from './closed-copy.js';
import { judge } from './judge.js';

/** Plays files that fail: `changed` with the change, `always` also without it, `shared` except when run separately. */
function playing(fails: { changed?: string[]; always?: string[]; shared?: string[]; late?: string[] }) {
  const runs: string[] = [];
  const play = async (files: readonly string[], isChanged: boolean): Promise<Played> => {
    runs.push(`${files.join(' ')}${isChanged ? '' : ' unchanged'}`);
    const { changed = [], always = [], shared = [], late = [] } = fails;
    const failed = files.find(
      (file) => always.includes(file) || (isChanged && (changed.includes(file) || (shared.includes(file) && files.length > 1))),
    );
    return { ended: [], ...(failed ? { failed } : {}), timedOut: late.includes(failed ?? ''), processor: 1 };
  };
  return { play, runs };
}

describe('judge', () => {
  test('a test that fails with the change alone notices it, and those after it are not played', async () => {
    const { play, runs } = playing({ changed: ['b', 'c'] });
    expect(await judge(['a', 'b', 'c'], play, new Set())).toEqual({ outcome: 'noticed', by: 'b', timedOut: false, processor: 3 });
    expect(runs).toEqual(['a b c', 'b', 'b unchanged']);
  });

  test('a test that fails without the change as well is left out from then on', async () => {
    const failing = new Set<string>();
    const { play, runs } = playing({ always: ['a'], changed: ['b'] });
    expect(await judge(['a', 'b'], play, failing)).toMatchObject({ outcome: 'noticed', by: 'b' });
    expect(runs).toEqual(['a b', 'a unchanged', 'b', 'b unchanged']);
    expect([...failing]).toEqual(['a']);
    expect(await judge(['a'], play, failing)).toMatchObject({ outcome: 'missed', processor: 0 });
  });

  test('a test that fails only beside others says nothing', async () => {
    const failing = new Set<string>();
    const { play, runs } = playing({ shared: ['b'] });
    expect(await judge(['a', 'b', 'c'], play, failing)).toMatchObject({ outcome: 'missed' });
    expect(runs).toEqual(['a b c', 'b', 'c']);
    expect(failing.size).toBe(0);
  });

  test('a test that takes too long with the change, twice, notices it', async () => {
    const { play, runs } = playing({ changed: ['a'], late: ['a'] });
    expect(await judge(['a'], play, new Set())).toMatchObject({ outcome: 'noticed', by: 'a', timedOut: true });
    expect(runs).toEqual(['a', 'a', 'a unchanged']);
  });

  test('few tests are played first, then more', async () => {
    const { play, runs } = playing({ changed: ['h'] });
    expect(await judge([...'abcdefgh'], play, new Set())).toMatchObject({ outcome: 'noticed', by: 'h' });
    expect(runs).toEqual(['a b c', 'd e f g h', 'h', 'h unchanged']);
  });

  test('no test notices a change that all pass', async () => {
    expect(await judge(['a', 'b'], playing({}).play, new Set())).toEqual({ outcome: 'missed', timedOut: false, processor: 1 });
  });
});
