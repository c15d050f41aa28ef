import { describe, expect, test } from 'vitest';
import type { Step } from '../../core/host/step.js';
import type { Progress } from '../../core/operation/operation.js';
import { planHash, planLineOf } from '../../core/plan/plan-lines.js';
import type { PlannedStep } from '../../core/plan/planned-step.js';
import { refuseOtherPlan, refuseUnplanned } from './held-to-plan.js';

type Held = Parameters<typeof refuseUnplanned>[0];

const start = (title: string, name = 'nginx'): Step => ({ title, service: { name, state: 'running', enabled: true } });
const write = (content: string): Step => ({ title: 'Write it', file: { path: '/x', content } });
const line = (step: Step, more: Partial<PlannedStep> = {}): PlannedStep => ({
  ...{ on: 'hub', taskserv: 'nginx', title: step.title, step, change: 'add' },
  ...more,
});
const machine = (kind: PlannedStep['machine'], on: string): PlannedStep => ({ on, title: `Do ${on}`, machine: kind });

function held(planned: PlannedStep[], { now = planned, changes = 0 } = {}): Held {
  const lines = planned.map(planLineOf);
  const progress = { plan: now, control: [] } as unknown as Progress;
  return { request: { infra: 'shop', planned: { hash: planHash(lines), lines } }, changes, progress } as unknown as Held;
}
const again = (operation: Held, steps: Step[], { ahead, peers = [] as string[] }: { ahead?: number; peers?: string[] } = {}) =>
  refuseUnplanned(operation, { server: 'hub', decided: { taskserv: 'nginx', steps, ...(ahead && { ahead }) }, peers });

describe('an operation that was given a plan', () => {
  test('goes on where it decided the same, and says which plan that is', () => {
    const operation = held([line(write('a'))]);
    refuseOtherPlan(operation);
    expect(operation.progress.planHash).toBe(operation.request.planned?.hash);
    expect(operation.progress).not.toHaveProperty('planChanges');
  });

  test('refuses any other, and says what has changed', () => {
    const operation = held([line(write('a'))], { now: [line(write('b')), line(start('Start nginx'))] });
    expect(() => refuseOtherPlan(operation)).toThrow('1 step is new, 1 is different');
    expect(operation.progress.planChanges).toMatchObject([{ is: 'different' }, { is: 'new', title: 'Start nginx' }]);
  });

  test('refuses by the hash alone where the plan is too large to be brought', () => {
    const operation = held([line(write('a'))], { now: [] });
    delete operation.request.planned?.lines;
    expect(() => refuseOtherPlan(operation)).toThrow('it has changed since it was made');
  });

  test('goes by other input that a person gave', () => {
    const operation = held([line(write('a'))], { now: [], changes: 1 });
    refuseOtherPlan(operation);
    again(operation, [write('z')]);
  });
});

describe('what is decided again while it works', () => {
  const plan = [line(write('a')), line(start('Start nginx')), line(write('of another'), { on: 'web' })];

  test('may be less, and be called otherwise', () => {
    again(held(plan), []);
    again(held(plan), [start('Restart nginx')]);
  });

  test('may not be what the plan does not have for it; told once, however often it is tried', () => {
    const operation = held(plan);
    for (const _ of [1, 2]) expect(() => again(operation, [write('of another'), start('Start nginx')])).toThrow('Write it');
    const why = 'the steps have changed';
    expect(operation.progress.planChanges).toEqual([{ on: 'hub', taskserv: 'nginx', title: 'Write it', is: 'different', why }]);
    expect(() => again(held(plan), [start('Start it', 'apache2')])).toThrow('Start it');
  });

  test('is not known before on a machine that is made or changed, nor in what goes by its address', () => {
    const other = [write('z')];
    for (const kind of ['create', 'update', 'replace'] as const) {
      again(held([machine(kind, 'hub'), ...plan]), other);
      again(held([machine(kind, 'web'), ...plan]), other, { peers: ['web'] });
      expect(() => again(held([machine(kind, 'web'), ...plan]), other)).toThrow('Write it');
    }
    again(held([line(write('a'), { expected: true })]), other);
    expect(() => again(held([machine('delete', 'web'), ...plan]), other, { peers: ['web'] })).toThrow('Write it');
  });

  test('includes the names of other servers, unless these are made by then', () => {
    const steps = [write('names'), write('a')];
    again(held([machine('create', 'web'), ...plan]), steps, { ahead: 1 });
    expect(() => again(held(plan), steps, { ahead: 1 })).toThrow('Write it');
  });
});
