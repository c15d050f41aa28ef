import { describe, expect, test } from 'vitest';
import type { OperationResult } from '../../core/operation/operation.js';
import type { PlannedStep } from '../../core/plan/planned-step.js';
import { fakeClient, fakeSession, resultOf } from '../fake-session.js';
import { operate, type Wish } from './operate.js';

const WISH: Wish = { kind: 'cluster', infra: 'demo', intent: { verb: 'ensure', prune: true } };
const STEP: PlannedStep = { on: 'hub', taskserv: 'redis', title: 'Install the package redis-server', change: 'add' };
const HARM: PlannedStep = { on: 'web-3', title: 'Delete the server web-3', machine: 'delete', destructive: true };

const previewing = (more: Partial<OperationResult>) => {
  const { client } = fakeClient((request) => [{ type: 'end', result: resultOf(request, more) }]);
  return fakeSession({ json: true, client });
};

describe('a preview for scripts', () => {
  test.each<[number, Partial<OperationResult>]>([
    [7, { plan: [STEP] }],
    [0, { plan: [] }],
    [1, { status: 'failed', plan: [STEP], error: { exitCode: 1 } as OperationResult['error'] }],
  ])('--detailed-exitcode of a preview is %i', async (code, more) => {
    const session = previewing(more);
    expect(await operate(session, { check: true, detailedExitcode: true }, WISH)).toBe(code);
    expect(await operate(session, { check: true }, WISH)).toBe(code === 7 ? 0 : code);
    await expect(operate(session, { yes: true, detailedExitcode: true }, WISH)).rejects.toThrow('--detailed-exitcode');
  });

  test('a preview in JSON has a summary', async () => {
    const session = previewing({ plan: [STEP, HARM] });
    await operate(session, { check: true }, WISH);
    expect(JSON.parse(session.said()).summary).toEqual({
      ...{ steps: 2, add: 1, change: 0, remove: 1, restart: 0, interrupt: 0, check: 0 },
      ...{ on: ['hub', 'web-3'], destroys: ['web-3'] },
    });
  });
});
