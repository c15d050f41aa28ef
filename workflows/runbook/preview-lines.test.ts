import { expect, test } from 'vitest';
import type { PlannedStep } from '../../core/plan/planned-step.js';
import { fc } from '../../test/support/fast-check.js';
import { countUnplanned, listSeenGroups, plansShare, previewServices } from './preview-lines.js';
import type { ServerDecision } from './server-decision.js';

const on = (server: string, name: string, states: string): ServerDecision => ({
  ...{ server, expected: false },
  services: [
    {
      ...{ taskserv: 'etcd', steps: [], healthy: true },
      group: {
        ...{ name, needed: 2 },
        members: [...states].map((state, index) => ({
          server: `${index}`,
          state: state === '+' ? 'seen' : state === '?' ? 'silent' : 'expected',
        })),
      },
    },
  ],
});

test('each group is told once, by the look that saw most of it, and one that is yet to be founded is not', () => {
  const groups = listSeenGroups([on('a', 'main', '+?.'), on('b', 'main', '++.'), on('c', 'main', '.++'), on('d', 'new', '...')]);
  expect(groups.map(({ taskserv, name, members }) => [taskserv, name, members.map(({ state }) => state)])).toEqual([
    ['etcd', 'main', ['seen', 'seen', 'expected']],
  ]);
});

test('a share that several members need has one line, before the first step that needs it', () => {
  const joins = (server: string, group: string): ServerDecision => ({
    ...{ server, expected: false },
    services: [
      {
        ...{ taskserv: 'etcd', steps: [{ title: 'Join', run: 'x', undo: 'y' }], healthy: true },
        standing: { group, state: 'expected' },
        shares: [{ name: 'token', title: 'Make a join token', on: 'a' }],
      },
    ],
  });
  const lines = previewServices([joins('b', 'main'), joins('c', 'main'), joins('d', 'other')]);
  const joined = (server: string) => [server, 'Join'];
  const made = ['a', 'Make a join token'];
  expect(lines.map(({ on, title }) => [on, title])).toEqual([made, joined('b'), joined('c'), made, joined('d')]);
});

const step = { title: 'Found the crew', run: 'x', undo: 'y' };
const line = (on: string, more: Partial<PlannedStep> = {}): PlannedStep => ({
  ...{ on, taskserv: 'crew', title: step.title, step, change: 'add', ...more },
});

test('a member that joins where it was expected to found adds its further steps to those that were planned', () => {
  const plan = [line('a'), line('b'), line('b'), line('b', { taskserv: 'other' }), line('b', { step: undefined })];
  const count = (steps: number, isMember = true) => countUnplanned(plan, { server: 'b', taskserv: 'crew' }, { steps, isMember });
  expect([count(3), count(2), count(1)]).toEqual([1, 0, 0]);
  // Elsewhere, more steps than planned are something that people are told of.
  expect(count(3, false)).toBe(0);
  expect(countUnplanned([line('b', { expected: true })], { server: 'b', taskserv: 'crew' }, { steps: 3, isMember: false })).toBe(2);
});

test('an operation never has more steps than planned for what it does for other members on the server of one', () => {
  const steps = fc.nat(5);
  fc.assert(
    fc.property(steps, steps, steps, fc.boolean(), (planned, decided, others, expected) => {
      const own = Array.from({ length: planned }, () => line('b', expected ? { expected } : {}));
      const forOthers = Array.from({ length: others }, () => line('b', { for: 'c' }));
      const plan = [...forOthers, ...own];
      const more = countUnplanned(plan, { server: 'b', taskserv: 'crew' }, { steps: decided, isMember: true });
      expect(plan.length + more).toBeGreaterThanOrEqual(others + decided);
      expect(more).toBe(Math.max(0, decided - planned));
    }),
  );
});

test('a share is planned if the plan has its line', () => {
  const shares = [{ name: 'token', title: 'Make a token', on: 'a' }];
  const told = line('a', { title: 'Make a token', step: undefined });
  expect(plansShare([line('a'), told], { taskserv: 'crew', shares })).toBe(true);
  expect(plansShare([line('a')], { taskserv: 'crew', shares })).toBe(false);
  expect(plansShare([told], { taskserv: 'other', shares })).toBe(false);
});
