import { expect, test } from 'vitest';
import { hasPlace } from '../../../activities/service/belongs.js';
import { etcd } from '../../../taskservs/etcd/etcd.js';
import { CONFIG, etcdModel } from '../../../test/support/etcd-model.js';
import { PLATFORM_RULES } from '../../../test/support/platform-rules.js';
import type { AnyTaskserv } from '../../index.js';
import { type GroupRules, type Omission, playHistories } from '../index.js';

/** Histories that are played; those without a rule end with the first that shows it. */
const RUNS = Number(process.env.MODEL_RUNS ?? (process.env.LONG ? 10_000 : 1_000));
const SHOWN_WITHIN = 5_000;
/** Milliseconds. No limit of speed: many histories on a busy machine take as long. */
const PLAYED_WITHIN = 300_000 + RUNS * 100;

const input = { taskserv: etcd, config: CONFIG, model: etcdModel, rules: PLATFORM_RULES };

test(`in ${RUNS} histories of joins, losses and leader changes, etcd loses no write and is whole in the end`, {
  timeout: PLAYED_WITHIN,
}, () => {
  expect(playHistories(input, RUNS)).toBeUndefined();
});

test.each<[Omission, RegExp]>([
  ['quorum', /takes away the last majority/],
  ['second-look', /takes away the last majority|ends the leader|moved the lead|an undisturbed apply failed/],
  ['order', /moved the lead|an undisturbed apply failed/],
])('without the rule "%s" a history breaks a promise', { timeout: 120_000 }, (omitted, why) => {
  expect(playHistories({ ...input, omitted }, SHOWN_WITHIN)?.why).toMatch(why);
});

test('without a look at the list of the others a former member counts on', { timeout: 120_000 }, () => {
  const own: GroupRules = { ...PLATFORM_RULES, leaves: (_, member) => hasPlace(member) };
  expect(playHistories({ ...input, rules: own }, SHOWN_WITHIN)?.why).toMatch(/is no member any more, and counts in the end/);
});

test('a member that leaves is not among the members of the group, as on the platform', () => {
  const { group } = etcd;
  const left: boolean[] = [];
  const told: AnyTaskserv = {
    ...etcd,
    group: group && {
      ...group,
      leave: (config, leaving, seen) => {
        left.push(seen.members.some(({ server }) => server === leaving.server));
        return group.leave?.(config, leaving as never, seen as never) ?? [];
      },
    },
  } as AnyTaskserv;
  expect(playHistories({ ...input, taskserv: told }, 20)).toBeUndefined();
  expect([left.length > 0, left.includes(true)]).toEqual([true, false]);
});
