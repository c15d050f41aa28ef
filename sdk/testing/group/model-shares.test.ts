import { expect, test } from 'vitest';
import { etcd } from '../../../taskservs/etcd/etcd.js';
import { CONFIG, etcdModel } from '../../../test/support/etcd-model.js';
import { PLATFORM_RULES } from '../../../test/support/platform-rules.js';
import { type AnyTaskserv, type Step, share, text } from '../../index.js';
import { type GroupModel, type HistoryInput, playHistories } from '../index.js';

const RUNS = Number(process.env.MODEL_RUNS ?? (process.env.LONG ? 5_000 : 40));
/** Milliseconds. No limit of speed: many histories on a busy machine take as long. */
const PLAYED_WITHIN = 300_000 + RUNS * 100;

const SPARE = 120;
const GROUP = etcd.group as NonNullable<AnyTaskserv['group']>;

const TOKEN = text`${share('token')}`;
/** Counts the tokens with which members left. */
let left = 0;

/** Etcd, if it wanted a token of those that it joins, and of those that it removes. */
const taskserv: AnyTaskserv = {
  ...etcd,
  plan: (config, found, context) =>
    etcd
      .plan(config, found as never, context as never)
      .map((step): Step => ('run' in step && step.title.startsWith('Add ') ? { ...step, stdin: TOKEN } : step)),
  group: {
    ...GROUP,
    leave: (config, leaving, group) =>
      GROUP.leave?.(config, leaving, group).map((step): Step => ('run' in step ? { ...step, stdin: TOKEN } : step)) ?? [],
    shares: { token: { title: 'Make a join token', lifetimeSeconds: 600, spareSeconds: SPARE, make: () => 'token' } },
  },
};

/** The step takes a while before it uses the token. */
const model: GroupModel = {
  ...etcdModel,
  act(world, server, step, draw, { values, shares }) {
    const { token } = values;
    if (token !== undefined) {
      shares.now += draw.below(SPARE);
      const isLeave = step.title.startsWith('Remove ');
      const group = isLeave ? world.node(server).data?.group : world.servingGroup(server)?.id;
      if (group !== undefined) shares.take(token, group);
      if (isLeave) left += 1;
    }
    etcdModel.act(world, server, step, draw, { values, shares });
  },
};

const input: HistoryInput = {
  ...{ taskserv, config: CONFIG, model, rules: PLATFORM_RULES },
};

test(`in ${RUNS} histories in which time passes, no member joins with an expired share, and the group is whole in the end`, {
  timeout: PLAYED_WITHIN,
}, () => {
  expect(playHistories(input, RUNS)).toBeUndefined();
  // Some of them leave, each with a token.
  expect(left).toBeGreaterThan(RUNS / 10);
});

const EXPIRED = 'a step uses a share that has expired';

test('without the look at the lifetime a member joins with an expired share', { timeout: 120_000 }, () => {
  expect(playHistories({ ...input, omitted: 'lifetime' }, 5_000)?.why).toBe(EXPIRED);
});

test('without it, a member is also removed with an expired share', { timeout: 120_000 }, () => {
  // Those that join want none: what has expired is of a member that leaves.
  const onlyLeave = { ...taskserv, plan: etcd.plan };
  expect(playHistories({ ...input, taskserv: onlyLeave, omitted: 'lifetime' }, 5_000)?.why).toBe(EXPIRED);
  expect(playHistories({ ...input, taskserv: onlyLeave }, RUNS)).toBeUndefined();
});
