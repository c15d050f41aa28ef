import { describe, expect, test } from 'vitest';
import type { OperationEvent } from '../../app/schemas/operation.js';
import type { Inventory } from '../../core/infra/inventory.js';
import type { OperationRequest, OperationResult } from '../../core/operation/operation.js';
import { planHash, planLineOf } from '../../core/plan/plan-lines.js';
import type { PlannedStep } from '../../core/plan/planned-step.js';
import { type FakeOptions, fakeClient, fakeSession, inventoryNamed, progressOf, resultOf } from '../fake-session.js';
import { operate, repeat, type Wish } from './operate.js';

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

describe('what is asked before anything is done', () => {
  test('without --yes and without a terminal nothing is submitted', async () => {
    const { session, submitted } = set(ending({}));
    await expect(operate(session, {}, WISH)).rejects.toMatchObject({
      details: { code: 'needs-yes', blame: 'user', hint: expect.stringContaining('--yes') },
    });
    expect(submitted).toEqual([]);
  });

  test('how changes reach what serves is passed on as it was said', async () => {
    const { session, submitted } = set(ending({}));
    await operate(session, { yes: true, batchSize: '50%', pauseOnFailure: true }, WISH);
    expect(submitted[0]?.update).toEqual({ batch: '50%', pauseOnFailure: true });
  });

  test('with --yes it is submitted at once, and may not destroy', async () => {
    const { session, submitted } = set(ending({}));
    expect(await operate(session, { yes: true, onFailure: 'keep', priority: 1 }, WISH)).toBe(0);
    expect(submitted).toMatchObject([
      { kind: 'cluster', infra: 'demo', intent: WISH.intent, actor: 'ann@desk', onFailure: 'keep', priority: 1 },
    ]);
    expect(submitted[0]).not.toHaveProperty('allowDestroy');
    expect(submitted[0]).not.toHaveProperty('planned');
    expect(submitted[0]?.id).toMatch(/^cluster-ensure-demo-[0-9a-z]{14,}$/);
  });

  test('--yes covers what was asked for by name; --allow-destroy all', async () => {
    const named = set(ending({}));
    await operate(named.session, { yes: true }, { ...WISH, intent: { verb: 'delete' }, destroysByName: true });
    const allowed = set(ending({}));
    await operate(allowed.session, { yes: true, allowDestroy: true }, WISH);
    expect([named.submitted[0]?.allowDestroy, allowed.submitted[0]?.allowDestroy]).toEqual([true, true]);
  });

  test('a person sees the steps, and is asked apart about what they destroy', async () => {
    const { session, submitted } = set(ending({ plan: [STEP, HARM] }), { interactive: true, answers: [true, true] });
    expect(await operate(session, {}, WISH)).toBe(0);
    expect(submitted.map(({ check, allowDestroy }) => [check, allowDestroy])).toEqual([
      [true, undefined],
      [undefined, ['web-3']],
    ]);
    expect(submitted[0]?.id).not.toBe(submitted[1]?.id);
    // Exactly the steps that were shown are run.
    expect(submitted.map(({ planned }) => planned)).toEqual([undefined, { hash: planHash([STEP, HARM].map(planLineOf)) }]);
    expect(session.asked).toEqual(['Run these 2 steps on demo?', 'This destroys web-3 with the data on it. Really?']);
    expect(session.said()).toContain(
      'hub/redis\n  + Install the package redis-server\nweb-3\n  - Delete the server web-3 (destroys)\n',
    );
  });

  test.each([[[false]], [[true, false]], [[]]])('the answers %j leave everything as it is', async (answers) => {
    const { session, submitted } = set(ending({ plan: [HARM] }), { interactive: true, answers });
    expect(await operate(session, {}, WISH)).toBe(5);
    expect(submitted.map(({ check }) => check)).toEqual([true]);
    expect(session.said()).toContain('Nothing was changed.');
  });

  test('where there is nothing to do nobody is asked', async () => {
    const { session, submitted } = set(ending({}), { interactive: true });
    expect(await operate(session, {}, WISH)).toBe(0);
    expect([submitted.length, session.asked]).toEqual([2, []]);
  });

  test('a preview that fails ends it', async () => {
    const error = { step: 'Look at the servers', on: 'hub', why: 'cannot reach the host: no answer', exitCode: 3 as const };
    const { session, submitted } = set(ending({ status: 'failed', error }), { interactive: true, answers: [true] });
    expect(await operate(session, {}, WISH)).toBe(3);
    expect(submitted).toHaveLength(1);
    expect(session.said()).toContain('error: Look at the servers failed on hub: cannot reach the host: no answer');
  });
});

describe('what comes out', () => {
  test('--check only looks, and prints the plan as data', async () => {
    const { session, submitted } = set(ending({ plan: [STEP] }), { json: true });
    expect(await operate(session, { check: true }, WISH)).toBe(0);
    expect(submitted.map(({ check }) => check)).toEqual([true]);
    expect(JSON.parse(session.said())).toMatchObject({ status: 'done', plan: [STEP] });
  });

  test('--json is one document, without progress', async () => {
    const service = { server: 'hub', taskserv: 'redis', version: '7.0', healthy: true };
    const { session } = set(
      (request) => [
        { type: 'progress', progress: progressOf({ cells: [{ server: 'hub', state: 'running', step: 'Create the server' }] }) },
        { type: 'end', result: resultOf(request, { services: [service], steps: { executed: 1, planned: 1 } }) },
      ],
      { json: true },
    );
    expect(await operate(session, { yes: true }, WISH)).toBe(0);
    expect(JSON.parse(session.said())).toMatchObject({ status: 'done', steps: { executed: 1, planned: 1 }, services: [service] });
    expect(session.complained()).toBe('');
  });

  test('--no-wait says how to follow', async () => {
    const { session, submitted } = set(ending({ status: 'failed' }));
    expect(await operate(session, { yes: true, wait: false }, WISH)).toBe(0);
    expect(session.said()).toContain(`provisioning workflow follow ${submitted[0]?.id}`);
    const data = set(ending({}), { json: true });
    await operate(data.session, { yes: true, wait: false }, WISH);
    expect(JSON.parse(data.session.said())).toMatchObject({ operation: data.submitted[0]?.id, status: 'queued', services: [] });
  });

  test.each([
    ['done', undefined, 0],
    ['failed', undefined, 1],
    ['failed', 2, 2],
    ['failed', 3, 3],
    ['rolled-back', 3, 1],
    ['canceled', undefined, 5],
  ] as const)('an operation that is %s with %s ends with %s', async (status, exitCode, expected) => {
    const error = status === 'done' ? undefined : { step: 'a', on: 'b', why: 'c', exitCode };
    const { session } = set(ending({ status, error }));
    expect(await operate(session, { yes: true }, WISH)).toBe(expected);
  });

  test('what a failure leaves is named', async () => {
    const { session } = set(
      ending({
        status: 'failed',
        steps: { executed: 1, planned: 3 },
        error: { step: 'Start redis-server', on: 'hub/redis', why: 'exit code 1', hint: 'look at its log' },
        left: ['container demo-hub'],
        compensations: [{ undo: 'delete-server', server: 'hub', provider: 'local' }],
      }),
    );
    expect(await operate(session, { yes: true }, WISH)).toBe(1);
    expect(session.said()).toMatch(
      /failed: demo: 1 of 3 steps.*\nerror: Start redis-server failed on hub\/redis: exit code 1\nhint: look at its log\nleft behind:\n {2}container demo-hub\n.*logs cluster-ensure-demo-.*\ntry again: .*\nroll back: provisioning workflow rollback cluster-/,
    );
  });
});

describe('while it runs', () => {
  const waiting = progressOf({
    status: 'waiting',
    waiting: 'retry, skip or roll back?',
    error: { step: 's', on: 'hub', why: 'w' },
  });

  test('a question without a terminal ends with 4 and says how to answer', async () => {
    const { session } = set(() => [{ type: 'waiting', progress: waiting }]);
    expect(await operate(session, { yes: true }, WISH)).toBe(4);
    expect(session.said()).toContain('waiting: demo: retry, skip or roll back?');
    expect(session.said()).toContain('provisioning workflow skip op');
    const data = set(() => [{ type: 'waiting', progress: waiting }], { json: true });
    expect(await operate(data.session, { yes: true }, WISH)).toBe(4);
    expect(JSON.parse(data.session.said())).toMatchObject({ status: 'waiting', waiting: 'retry, skip or roll back?' });
  });

  test('on a terminal the question is put, and answered', async () => {
    const decided: string[] = [];
    const { session } = set(
      (request) => (decided.length === 0 ? [{ type: 'waiting', progress: waiting }] : [{ type: 'end', result: resultOf(request) }]),
      {
        interactive: true,
        answers: ['skip'],
        client: {
          'operations.decide': async ({ decision }) => {
            decided.push(decision);
          },
        },
      },
    );
    expect(await operate(session, { yes: true }, WISH)).toBe(0);
    expect(decided).toEqual(['skip']);
  });

  test('Ctrl-C leaves it running and says how to follow it', async () => {
    const { client, submitted } = fakeClient(() => []);
    const session = fakeSession({
      client: {
        ...client,
        async *'operations.follow'(_, { signal } = {}) {
          yield { type: 'progress', progress: progressOf() };
          await new Promise((resolve) => {
            signal?.addEventListener('abort', resolve);
            session.interrupt();
          });
          throw new Error('aborted');
        },
        'operations.cancel': async () => {
          throw new Error('it must go on');
        },
      },
    });
    expect(await operate(session, { yes: true }, WISH)).toBe(130);
    expect(session.complained()).toContain(`The operation goes on. Follow it: provisioning workflow follow ${submitted[0]?.id}`);
  });

  test('on a pipe each change is a line', async () => {
    const cell = { server: 'web-1', taskserv: 'nginx', total: 2 };
    const { session } = set((request) => [
      {
        type: 'progress',
        progress: progressOf({ waiting: 'for server/web-1, held by x', cells: [{ ...cell, state: 'pending' }] }),
      },
      {
        type: 'progress',
        progress: progressOf({ cells: [{ ...cell, state: 'running', step: 'Install the package nginx', done: 0 }] }),
      },
      {
        type: 'progress',
        progress: progressOf({ cells: [{ ...cell, state: 'running', step: 'Install the package nginx', done: 0 }] }),
      },
      { type: 'progress', progress: progressOf({ cells: [{ ...cell, state: 'running', step: 'Start nginx', done: 1 }] }) },
      { type: 'progress', progress: progressOf({ cells: [{ ...cell, state: 'done', done: 2 }] }) },
      { type: 'end', result: resultOf(request, { steps: { executed: 2, planned: 2 } }) },
    ]);
    await operate(session, { yes: true }, WISH);
    expect(session.said()).toMatch(
      /^waiting: for server\/web-1, held by x\nweb-1\/nginx: Install the package nginx \(1\/2\)\nweb-1\/nginx: Start nginx \(2\/2\)\nweb-1\/nginx: done\ndone: demo: 2 of 2 steps in 0\.\d s\n$/,
    );
  });
});

test('a request is repeated under an id of its own, with what it was allowed', async () => {
  const { session, submitted } = set(ending({}));
  const before: OperationRequest = {
    id: 'old',
    workspace: 'default',
    actor: 'bob@x',
    allowDestroy: true,
    onFailure: 'ask',
    approve: ['before-change'],
    ...WISH,
  };
  expect(await repeat(session, { yes: true }, before)).toBe(0);
  expect(submitted).toMatchObject([{ intent: WISH.intent, actor: 'ann@desk', allowDestroy: true, onFailure: 'ask' }]);
  expect(submitted[0]?.approve).toEqual(['before-change']);
  expect(submitted[0]?.id).not.toBe('old');
});

describe('after it', () => {
  const inventory = (): Inventory =>
    ({
      ...inventoryNamed('demo'),
      definition: { servers: [{ name: 'hub', taskservs: [{ name: 'redis', endpoints: [{ name: 'redis', port: 6379 }] }] }] },
      servers: {
        hub: {
          name: 'hub',
          connection: { kind: 'ssh', address: '127.0.0.1', port: 2201, user: 'root' },
          services: { redis: { version: '7.0' } },
        },
      },
    }) as unknown as Inventory;
  const told = async (more: Partial<OperationResult>, wish: Wish, flags: Parameters<typeof operate>[1] = {}, json = false) => {
    const { client } = fakeClient(ending(more), inventory());
    const session = fakeSession({ client, json });
    await operate(session, { yes: true, ...flags }, wish);
    return session.said();
  };

  test('how what was deployed is reached is told, as data with --json', async () => {
    expect(await told({}, WISH)).toMatch(/\nreach it:\n {2}redis on hub: provisioning server tunnel hub 6379\n$/);
    expect(JSON.parse(await told({}, WISH, {}, true)).reach).toEqual([
      {
        server: 'hub',
        taskserv: 'redis',
        endpoint: 'redis',
        port: 6379,
        protocol: 'tcp',
        tunnel: 'provisioning server tunnel hub 6379',
      },
    ]);
  });

  test.each<[string, Partial<OperationResult>, Wish, object]>([
    ['a preview', {}, WISH, { check: true }],
    ['a delete', {}, { ...WISH, intent: { verb: 'delete' }, destroysByName: true }, {}],
    ['what failed', { status: 'failed' }, WISH, {}],
    ['what was superseded', { supersededBy: { operation: 'op', submitted: 'then' } } as Partial<OperationResult>, WISH, {}],
  ])('not after %s', async (_, more, wish, flags) => {
    expect(await told(more, wish, flags)).not.toContain('reach it');
    expect(await told(more, wish, flags, true)).not.toContain('"reach"');
  });
});
