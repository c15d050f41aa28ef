import { describe, expect, test } from 'vitest';
import type { Step } from '../../core/host/step.js';
import type { Member } from '../../core/taskserv/groups/group.js';
import type { PooledGroup } from './pool-groups.js';
import { describeStanding, hideWhy, hideWhys, refuseHarm } from './quorum.js';

const run: Step = { title: 'Do', run: 'do', undo: 'undo' };
const check: Step = { title: 'Look', run: 'look', undo: ':', keepsServing: true };
const bounce: Step = { title: 'Restart', run: 'systemctl restart x', undo: ':' };
const file: Step = { title: 'Write', file: { path: '/etc/x', content: 'x' } };
const restart: Step = { title: 'Restart', service: { name: 'x', state: 'running', enabled: true } };

/** `+` serves, `-` does not, `?` is silent, `.` is expected, `x` has the data of another group; by server, from a on. */
function groupOf(states: string, { quorum = 'majority', repairs }: { quorum?: 'majority' | 'one'; repairs?: string[] } = {}) {
  const members = [...states].map((state, index): Member => {
    const server = String.fromCharCode(97 + index);
    const about = { server, address: server };
    if (state === '?') return { ...about, state: 'silent' };
    if (state === '.') return { ...about, state: 'expected' };
    const standing = { group: state === 'x' ? 'g2' : 'g1', serves: state !== '-', ...(state === '-' && { why: 'it is down' }) };
    return { ...about, state: 'seen', standing, found: {} };
  });
  const installed = members.map(({ server, state }) => ({
    ...{ server, config: {} },
    ...(state !== 'expected' && { installed: true as const }),
  }));
  return {
    asked: { taskserv: 'store', name: 'main', members: installed, ...(repairs && { repairs }) },
    rules: { quorum },
    context: { name: 'main', members },
    all: members,
  } satisfies PooledGroup;
}

function refusal(group: PooledGroup, server: string, steps: Step[] = [run], more: { ahead?: number; repairs?: number[] } = {}) {
  try {
    refuseHarm(group, server, { steps, ...more });
    return undefined;
  } catch (error) {
    return (error as { details: { code: string; why: string; hint?: string } }).details;
  }
}

describe('a majority', () => {
  test('is kept: one member of three or five is changed, and none where another one is missing', () => {
    expect(refusal(groupOf('+++'), 'a')).toBeUndefined();
    expect(refusal(groupOf('++++-'), 'a')).toBeUndefined();
    const refused = refusal(groupOf('++-'), 'a');
    expect(refused).toMatchObject({
      code: 'quorum-lost',
      why: 'without a, 1 of 3 members of the group "main" would serve, and 2 are needed',
      hint: expect.stringContaining('c does not serve (it is down)'),
    });
    expect(refusal(groupOf('++?'), 'b')?.hint).toContain('c does not answer');
    expect(refusal(groupOf('+++-?'), 'a')?.code).toBe('quorum-lost');
  });

  test('is not put at risk by what leaves the service running, nor by names of other hosts', () => {
    expect(refusal(groupOf('++-'), 'a', [file, check])).toBeUndefined();
    expect(refusal(groupOf('++-'), 'a', [run], { ahead: 1 })).toBeUndefined();
    expect(refusal(groupOf('++-'), 'a', [file, bounce])?.code).toBe('quorum-lost');
    expect(refusal(groupOf('++-'), 'a', [file, restart])?.code).toBe('quorum-lost');
  });

  test('that is lost is left alone, but for repairs of the members that are down', () => {
    expect(refusal(groupOf('+--'), 'a', [file])).toMatchObject({
      code: 'quorum-lost',
      why: '1 of 3 members of the group "main" serve, and 2 are needed',
    });
    expect(refusal(groupOf('+--'), 'b', [file, restart])?.code).toBe('quorum-lost');
    expect(refusal(groupOf('+--'), 'b', [file, restart], { repairs: [0, 1] })).toBeUndefined();
    expect(refusal(groupOf('+-?.'), 'd')?.code).toBe('quorum-lost');
  });

  test('counts those that the operation repairs before', () => {
    expect(refusal(groupOf('++-', { repairs: ['a', 'b', 'c'] }), 'a')).toBeUndefined();
    expect(refusal(groupOf('++?', { repairs: ['a', 'b', 'c'] }), 'a')?.code).toBe('quorum-lost');
  });

  test('is of those that belong to the group: a first install adds one after the other', () => {
    expect(refusal(groupOf('...'), 'a')).toBeUndefined();
    expect(refusal(groupOf('+..'), 'b')).toBeUndefined();
    expect(refusal(groupOf('++.'), 'c')).toBeUndefined();
    expect(refusal(groupOf('++.'), 'a')?.code).toBe('quorum-lost');
  });
});

test('one member is enough where the service says so', () => {
  expect(refusal(groupOf('+-+', { quorum: 'one' }), 'a')).toBeUndefined();
  expect(refusal(groupOf('+--', { quorum: 'one' }), 'a')?.code).toBe('quorum-lost');
});

test('a second group is not founded where it is not known whether there is one', () => {
  expect(refusal(groupOf('.?.'), 'a')).toMatchObject({ code: 'group-unknown', why: expect.stringContaining('b did not answer') });
  expect(refusal(groupOf('.?.'), 'a', [])).toBeUndefined();
  expect(refusal(groupOf('.?+'), 'a')?.code).toBe('quorum-lost');
});

test('a group is not founded again while all who have its data leave', () => {
  const moved = (states: string, leave: string) => {
    const group = groupOf(states);
    return { ...group, context: { ...group.context, members: group.all.filter(({ server }) => !leave.includes(server)) } };
  };
  expect(refusal(moved('+++..', 'abc'), 'd')).toMatchObject({
    code: 'quorum-lost',
    why: 'none of its members stays: the definition names none of a, b, c',
    hint: expect.stringContaining('keep one of a, b, c in the definition until the new ones have joined'),
  });
  expect(refusal(moved('???..', 'abc'), 'd')?.why).toContain('none of its members stays');
  expect(refusal(moved('+++..', 'ab'), 'd')).toBeUndefined();
  expect(refusal(moved('.....', 'abc'), 'd')).toBeUndefined();
});

test('members with the data of different groups are named', () => {
  expect(refusal(groupOf('++x'), 'a')).toMatchObject({ code: 'groups-differ', why: expect.stringContaining('a, b / c') });
});

test('a former member is left to its taskserv, and does not count', () => {
  const former = (states: string) => {
    const group = groupOf(states);
    for (const { standing } of group.all) if (standing?.group === 'g2') standing.serves = false;
    return group;
  };
  expect(refusal(former('+xx'), 'b')).toBeUndefined();
  expect(refusal(former('++x'), 'a')?.code).toBe('quorum-lost');
  expect(refusal(former('--x'), 'a')?.code).toBe('groups-differ');
});

test('members that the group counts and that have a new machine count for its quorum', () => {
  const group = groupOf('+++..');
  expect(refusal(group, 'a')).toBeUndefined();
  for (const { standing } of group.all) if (standing) Object.assign(standing, { voters: 5 });
  expect(refusal(group, 'a')?.why).toBe('without a, 2 of 5 members of the group "main" would serve, and 3 are needed');
  expect(refusal(group, 'd')).toBeUndefined();
});

test('the report about a member is small', () => {
  expect(describeStanding(groupOf('+-'), 'b', '2')).toEqual({ group: 'main', state: 'seen', joined: true, why: 'it is down' });
  expect(describeStanding(groupOf('+?'), 'b', '2')).toEqual({ group: 'main', state: 'silent' });
  const counted = groupOf('+-');
  for (const { standing } of counted.all) if (standing) Object.assign(standing, { voters: 5 });
  expect(['a', 'b'].map((server) => describeStanding(counted, server, '2')?.voters)).toEqual([5, undefined]);
});

test('a leader is changed first where its taskserv says so for the version', () => {
  const group = groupOf('++');
  Object.assign(group.context.members[0]?.standing ?? {}, { leads: true });
  const rules = { ...group.rules, leaderFirst: (_: unknown, version: string) => version === '2' };
  const isFirst = (server: string, version: string) => describeStanding({ ...group, rules }, server, version)?.first;
  expect([isFirst('a', '2'), isFirst('a', '1'), isFirst('b', '2')]).toEqual([true, undefined, undefined]);
});

test('of what is told of members only their own words are masked', () => {
  const hide = (text: string) => text.replaceAll(/seen|main|token/g, '***');
  expect(hideWhy({ group: 'main', state: 'seen', why: 'main has no token' }, hide)).toEqual({
    ...{ group: 'main', state: 'seen', why: '*** has no ***' },
  });
  const members = [
    { server: 'main', state: 'seen' as const, why: 'token' },
    { server: 'b', state: 'seen' as const },
  ];
  expect(hideWhys({ name: 'main', needed: 1, members }, hide)).toEqual({
    ...{ name: 'main', needed: 1 },
    members: [{ server: 'main', state: 'seen', why: '***' }, members[1]],
  });
});
