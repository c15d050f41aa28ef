import { describe, expect, test } from 'vitest';
import type { OperationEvent } from '../../app/schemas/operation.js';
import type { OperationRequest, OperationResult } from '../../core/operation/operation.js';
import type { PlannedStep } from '../../core/plan/planned-step.js';
import { type FakeOptions, fakeClient, fakeSession, resultOf } from '../fake-session.js';
import { operate, type Wish } from './operate.js';

const WISH: Wish = { kind: 'cluster', infra: 'demo', intent: { verb: 'ensure', prune: true } };
const STEP: PlannedStep = { on: 'hub', taskserv: 'redis', title: 'Install the package redis-server', change: 'add' };
const HARM: PlannedStep = { on: 'web-3', title: 'Delete the server web-3', machine: 'delete', destructive: true };

const ending =
  (more: Partial<OperationResult>) =>
  (request: OperationRequest): OperationEvent[] => [{ type: 'end', result: resultOf(request, more) }];

function set(end: (request: OperationRequest) => OperationEvent[], options: FakeOptions = {}) {
  const { client, submitted } = fakeClient(end);
  return { session: fakeSession({ ...options, client: { ...client, ...options.client } }), submitted };
}

describe('--allow-destroy-of', () => {
  test('--allow-destroy-of allows what is done to the servers that it names', async () => {
    const { session, submitted } = set(ending({}));
    await operate(session, { yes: true, allowDestroyOf: ['web-3', 'web-4'] }, WISH);
    expect(submitted[0]?.allowDestroy).toEqual(['web-3', 'web-4']);
  });

  test('--allow-destroy-of beside --allow-destroy is refused', async () => {
    const { session, submitted } = set(ending({}));
    await expect(operate(session, { yes: true, allowDestroy: true, allowDestroyOf: ['web-3'] }, WISH)).rejects.toMatchObject({
      details: { code: 'bad-arguments', on: '--allow-destroy' },
    });
    expect(submitted).toEqual([]);
  });

  test('a person who named what is destroyed is asked once; about more than that nobody is asked', async () => {
    const OTHER: PlannedStep = { ...HARM, on: 'db-1', title: 'Replace the server db-1', machine: 'replace' };
    const named = set(ending({ plan: [STEP, HARM] }), { interactive: true, answers: [true] });
    expect(await operate(named.session, { allowDestroyOf: ['web-3'] }, WISH)).toBe(0);
    expect([named.session.asked, named.submitted.at(-1)?.allowDestroy]).toEqual([['Run these 2 steps on demo?'], ['web-3']]);

    const more = set(ending({ plan: [HARM, OTHER] }), { interactive: true, answers: [true, true] });
    await expect(operate(more.session, { allowDestroyOf: ['web-3'] }, WISH)).rejects.toMatchObject({
      details: {
        code: 'destruction-not-allowed',
        on: 'db-1',
        why: 'the plan destroys db-1, which --allow-destroy-of does not name',
        hint: expect.stringContaining('--allow-destroy-of db-1'),
      },
    });
    expect([more.session.asked, more.submitted.length]).toEqual([[], 1]);
  });
});
