import { describe, expect, test } from 'vitest';
import { explainBadShare, listShares } from '../../../core/taskserv/groups/share.js';
import { share } from '../../../sdk/index.js';
import { ANOTHER, give, groupOf, join, memory, scope, store, valueIn } from '../../../test/support/group-shares.js';
import { discardExpired, sweepExpired } from './kept-shares.js';
import { findNeededShares } from './shares.js';

describe('a share of a group', () => {
  test('is made by the leader, or else by a member that serves, with the configuration of that member', async () => {
    const led = await give({ states: '+*.' });
    expect([led.scripts, valueIn(led)]).toEqual([['b: token config-b b'], ['made by token config-b b']]);
    expect((await give({ states: '-+.' })).scripts).toEqual(['b: token config-b b']);
    const only = await give({ states: '++.', steps: join('key') });
    expect([only.given, only.scripts]).toEqual([
      { ...only.given, code: 'share-not-made', why: 'no leader of the store group "main" can make it now' },
      [],
    ]);
  });

  test('is kept until its lifetime ends, used again as long as a step has time, and made again afterwards', async () => {
    const kept = memory();
    const first = await give({ states: '*+.', kept });
    expect(first.given).toMatchObject({ made: 1 });
    const again = await give({ states: '*+.', kept, prints: () => 'another-value-that-is-long' });
    expect([again.scripts, valueIn(again), again.given]).toEqual([[], valueIn(first), { ...again.given, made: 0 }]);
    const [[name = '', value = ''] = []] = kept.values;
    const ends = (seconds: number) => name.replace(/\d+$/, String(Math.floor(Date.now() / 1_000) + seconds));
    kept.values.clear();
    const soon = ends(250);
    kept.values.set(soon, value);
    const late = await give({ states: '*+.', kept, prints: () => ANOTHER });
    // A host may still work with the former one: it has to be masked.
    expect([valueIn(late), [...kept.values.values()]]).toEqual([[ANOTHER], [value, ANOTHER]]);
    kept.values.delete(soon);
    kept.values.set(ends(-1), 'old').set('password', 'mine');
    await discardExpired({ secrets: kept.secrets, providers: {} }, scope);
    expect([...kept.values.values()]).toEqual([ANOTHER, 'mine']);
  });

  test('of other data is made again; while no member serves, the kept one is given, else it is refused with what helps', async () => {
    const kept = memory();
    await give({ states: 'o..', kept });
    expect((await give({ states: '*+.', kept })).scripts).toHaveLength(1);
    expect(valueIn(await give({ states: '--.', kept }))).toEqual(['made by token config-a a']);
    const { given } = await give({ states: '-?.' });
    expect(given).toMatchObject({
      code: 'share-not-made',
      on: 'c',
      hint: expect.stringContaining('a does not serve; b does not answer'),
    });
  });

  test('is not shown where its script fails, and none is given that is empty or too large', async () => {
    const fails = () => {
      throw Object.assign(new Error('token-1234 is taken'), { details: { code: 'data-not-moved' } });
    };
    const failed = await give({ states: '*+.', prints: fails });
    expect(failed.given).toMatchObject({ code: 'share-not-made', on: 'a' });
    expect(JSON.stringify(failed.given)).not.toContain('token-1234');
    for (const printed of [
      '',
      'x'.repeat(70_000),
      'seen\nmain\nfail',
      'x'.repeat(15),
      `${ANOTHER}\n${ANOTHER}`,
      `${ANOTHER}\u0007`,
    ])
      expect((await give({ states: '*+.', prints: () => printed })).given).toMatchObject({ code: 'share-not-made' });
  });

  test('is neither for a definition nor for steps of others', async () => {
    const { $secret } = share('token');
    expect((await give({ states: '*+.', secrets: [$secret] })).given).toMatchObject({ code: 'share-not-made' });
    expect((await give({ states: '*+.', steps: join('other') })).given).toMatchObject({ why: 'its group has no share "other"' });
    expect((await give({ states: '*+.', steps: [] })).given).toBeUndefined();
  });

  test('is in the preview once steps need it, on the member that is to make it', () => {
    const context = (states: string) => ({
      name: 'main',
      members: [...states].map((state, index) => ({
        ...{
          server: String.fromCharCode(97 + index),
          address: '',
          state: state === '.' ? ('expected' as const) : ('seen' as const),
        },
        ...(state !== '.' && { standing: { serves: true, ...(state === '*' && { leads: true as const }) } }),
      })),
    });
    const needed = (states: string, steps = join()) => {
      const { quorum, shares } = store.group as NonNullable<typeof store.group>;
      const group = { asked: groupOf(states), rules: { quorum, ...(shares && { shares }) }, context: context(states), all: [] };
      return findNeededShares([group], 'c', { unit: 'store', steps });
    };
    expect(needed('+*.')).toEqual([{ name: 'token', title: 'Make a join token', on: 'b' }]);
    expect(needed('...')).toEqual([{ name: 'token', title: 'Make a join token', on: 'a' }]);
    expect(needed('+*.', [])).toEqual([]);
    expect(() => needed('+*.', join('other'))).toThrow('its group has no share "other"');
    expect(listShares(join())).toEqual(['token']);
  });

  test('is looked for and made again while there is time, since who leads may change', async () => {
    let tries = 0;
    const prints = () => {
      tries += 1;
      if (tries === 1) throw Object.assign(new Error('not the leader'), { details: { code: 'data-not-moved' } });
      return ANOTHER;
    };
    expect(valueIn(await give({ states: '*+.', prints, withinMs: 5_000 }))).toEqual([ANOTHER]);
    expect(tries).toBe(2);
  });

  test('is not given to a group of unknown or other data where no member can make one', async () => {
    const kept = memory();
    await give({ states: '*..', kept });
    const [[name = '', value = ''] = []] = kept.values;
    expect((await give({ states: '??.', kept })).given).toMatchObject({ code: 'share-not-made' });
    kept.values.clear();
    kept.values.set(name.replace(/[0-9a-z]+-(?=\d+$)/, 'f00-'), value);
    expect((await give({ states: '--.', kept })).given).toMatchObject({ code: 'share-not-made' });
  });

  test('is made for no work that runs or is done, and no step begins with what such work gets', async () => {
    const kept = memory();
    await give({ states: '*+.', kept });
    const [value] = kept.values.values();
    const attached = await give({ states: '??.', kept, progress: { begun: true, attached: true } });
    expect([attached.scripts, attached.given]).toEqual([
      [],
      { ...attached.given, made: 0, values: new Map([['token', { name: [...kept.values.keys()][0], value, until: 0 }]]) },
    ]);
    const late = await give({ states: '??.', progress: { begun: true, attached: false } });
    expect(late.given).toMatchObject({ code: 'share-expired', why: expect.stringContaining('can make it now') });
  });

  test('is given no more after its step has failed, and stays masked until it expires', async () => {
    const kept = memory();
    const first = await give({ states: '*+.', kept, fails: 'Other' });
    expect((await give({ states: '*+.', kept, fails: 'Join' })).scripts).toEqual([]);
    expect([...kept.values]).toEqual([[expect.stringMatching(/-spent$/), ...(valueIn(first) || [])]]);
    expect((await give({ states: '*+.', kept, prints: () => ANOTHER })).scripts).toHaveLength(1);
    expect([...kept.values.values()]).toHaveLength(2);
  });

  test('may be a text where it is declared, if something of it can be masked', async () => {
    const file = `apiVersion: v1\nkey: ${ANOTHER}\n`;
    expect(valueIn(await give({ states: '*+.', steps: join('file'), prints: () => file }))).toEqual([file]);
    expect(explainBadShare('seen\nmain\nfail', 'text')).toContain('no line of at least 16');
    expect(explainBadShare(`${file}\u001b[2J`, 'text')).toContain('not printable');
  });

  test('is discarded by any decision of its infra, at most once a minute', async () => {
    const kept = memory();
    const sources = { secrets: kept.secrets, providers: {} };
    const expire = () => kept.values.set('group-share/store/main/token-1/f00-1', 'old');
    expire();
    await sweepExpired(sources, scope, 1_000_000);
    expect(kept.values.size).toBe(0);
    expire();
    await sweepExpired(sources, scope, 1_059_000);
    expect(kept.values.size).toBe(1);
    await sweepExpired(sources, scope, 1_060_000);
    expect(kept.values.size).toBe(0);
  });
});
