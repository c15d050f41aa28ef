import { describe, expect, test } from 'vitest';
import type { GroupShareAnswer } from '../../../core/taskserv/groups/group-share.js';
import { ANOTHER, type Given, give, join, LIFETIME, memory, valueIn } from '../../../test/support/group-shares.js';

describe('a share of a group', () => {
  test('for a member that leaves is made by one that stays, the host of the steps included', async () => {
    const leave = (states: string, leaving: string, more: Partial<Given> = {}) => give({ states, leaving, on: 'a', ...more });
    expect((await leave('*+?', 'c')).scripts).toEqual(['a: token config-a a']);
    expect((await leave('+*+', 'c')).scripts).toEqual(['b: token config-b b']);
    expect((await leave('++*', 'c')).scripts).toEqual(['a: token config-a a']);
    // Only the leader makes it, and that is the one that leaves.
    const led = await leave('++*', 'c', { steps: join('key'), prints: () => ANOTHER });
    expect([led.scripts, valueIn(led)]).toEqual([['c: key'], [ANOTHER]]);
    expect((await leave('+-?', 'c', { steps: join('key') })).given).toMatchObject({
      ...{ code: 'share-not-made', on: 'a', why: 'no leader of the store group "main" can make it now' },
    });
    const none = await leave('--?', 'c');
    expect(none.given).toMatchObject({ why: 'no member of the store group "main" can make it now' });
    expect((await leave('*+?', 'c', { steps: join('other') })).given).toMatchObject({ why: 'its group has no share "other"' });
  });

  test('for a member that leaves is the one that others joined with, as long as that lasts, and is spent if its step fails', async () => {
    const kept = memory();
    const joined = await give({ states: '*+.', kept });
    const left = await give({ states: '*+-', kept, leaving: 'b', on: 'a', fails: 'Join' });
    expect([left.scripts, valueIn(left)]).toEqual([[], valueIn(joined)]);
    expect((await give({ states: '*+-', kept, leaving: 'b', on: 'a' })).scripts).toHaveLength(1);
    expect(kept.reads).toEqual(['c reads', 'a reads', 'a reads']);
  });

  test('for a person is kept, and the answer has only its name and when it expires', async () => {
    const kept = memory();
    const from = Date.now();
    const asked = await give({ states: '+*.', kept, person: 'token' });
    const [[name, value] = []] = kept.values;
    expect([asked.scripts, value]).toEqual([['b: token config-b b'], 'made by token config-b b']);
    expect(asked.given).toEqual({ secret: name, until: expect.any(Number), made: true });
    const { until } = asked.given as GroupShareAnswer;
    expect([until - from > (LIFETIME - 2) * 1_000, until <= Date.now() + LIFETIME * 1_000]).toEqual([true, true]);
    // Its read is recorded as it is shown: no host got it.
    expect(kept.reads).toEqual([]);
    expect((await give({ states: '+*.', kept, person: 'token' })).given).toEqual({ secret: name, until, made: false });
    expect((await give({ states: '--.', person: 'token' })).given).toMatchObject({
      ...{ code: 'share-not-made', on: 'main', why: 'no member of the store group "main" can make it now' },
      hint: expect.stringContaining('a does not serve; b does not serve'),
    });
    for (const unknown of ['other', 'toString'])
      expect((await give({ states: '*..', person: unknown })).given).toMatchObject({ code: 'share-not-made' });
  });
});
