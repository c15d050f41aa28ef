import { describe, expect, test } from 'vitest';
import { countChanges, planChanges } from './plan-changes.js';
import { planHash, planLineOf } from './plan-lines.js';
import type { PlannedStep } from './planned-step.js';

const conf = (content: string, more: Partial<PlannedStep> = {}): PlannedStep => ({
  on: 'hub',
  taskserv: 'nginx',
  title: 'Write /etc/nginx/nginx.conf',
  change: 'change',
  step: { title: 'Write /etc/nginx/nginx.conf', file: { path: '/etc/nginx/nginx.conf', content } },
  ...more,
});
const start = (title: string): PlannedStep => ({
  on: 'hub',
  taskserv: 'nginx',
  title,
  change: 'restart',
  step: { title, service: { name: 'nginx', state: 'running', enabled: true } },
});
const linesOf = (...plan: PlannedStep[]) => plan.map(planLineOf);
const hashOf = (...plan: PlannedStep[]) => planHash(linesOf(...plan));

describe('what tells plans apart', () => {
  test('what is written, what is there, what it does to that, and the order', () => {
    const plans = [
      [conf('a'), start('Start nginx')],
      [start('Start nginx'), conf('a')],
      [conf('b'), start('Start nginx')],
      [conf('a', { change: 'add' }), start('Start nginx')],
      [conf('a', { found: 'f'.repeat(64) }), start('Start nginx')],
      [conf('a', { attributes: ['mode 0600 becomes 0644'] }), start('Start nginx')],
      [conf('a')],
      [],
    ];
    expect(new Set(plans.map((plan) => hashOf(...plan))).size).toBe(plans.length);
  });

  test('secrets by their names; not how the difference of a file is shown, nor where its digest was made', () => {
    const secret = (name: string) => conf('', { step: { title: 'x', file: { path: '/x', content: [{ $secret: name }] } } });
    expect(hashOf(secret('a'))).not.toBe(hashOf(secret('b')));
    const [{ does } = { does: '' }] = linesOf(conf('a'));
    expect(hashOf(conf('a', { diff: { lines: ['+a'], added: 1, removed: 0 } }))).toBe(hashOf(conf('a')));
    expect(hashOf(conf('a', { step: undefined, does }))).toBe(hashOf(conf('a')));
  });
});

describe('what has changed between two plans', () => {
  test('nothing; or the order alone', () => {
    const [first, second] = [conf('a'), start('Start nginx')];
    expect(planChanges(linesOf(first, second), linesOf(first, second))).toEqual([]);
    const other = planChanges(linesOf(first, second), linesOf(second, first));
    expect([other, countChanges(other)]).toEqual([[], 'the same steps come in another order']);
  });

  test('what is new, what is gone, and what is different, with the reason', () => {
    const changes = planChanges(
      linesOf(conf('a', { found: 'a'.repeat(64) }), start('Start nginx')),
      linesOf(conf('a', { found: 'b'.repeat(64) }), start('Restart nginx')),
    );
    expect(changes).toEqual([
      {
        on: 'hub',
        taskserv: 'nginx',
        title: 'Write /etc/nginx/nginx.conf',
        change: 'change',
        is: 'different',
        why: 'what is there has changed',
      },
      { on: 'hub', taskserv: 'nginx', title: 'Restart nginx', change: 'restart', is: 'new' },
      { on: 'hub', taskserv: 'nginx', title: 'Start nginx', change: 'restart', is: 'gone' },
    ]);
    expect(countChanges(changes)).toBe('1 step is new, 1 is gone, 1 is different');
    expect(planChanges(linesOf(conf('a')), linesOf(conf('b')))).toMatchObject([{ why: 'the steps have changed' }]);
    const repair = conf('a', { repair: true });
    expect(planChanges(linesOf(repair), linesOf(conf('a')))).toMatchObject([{ why: 'it is no longer a repair' }]);
  });

  test('of two alike each is counted', () => {
    expect(planChanges(linesOf(conf('a')), linesOf(conf('a'), conf('a')))).toMatchObject([{ is: 'new' }]);
    expect(planChanges(linesOf(conf('a'), conf('a')), linesOf(conf('a')))).toMatchObject([{ is: 'gone' }]);
  });
});
