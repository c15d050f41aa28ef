import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { inputError, unreachableError } from '../../core/errors.js';
import { idempotencyKeys } from '../../stores/rows/idempotency-keys.js';
import { type AccessFixture, openFixture } from '../../test/support/access-fixture.js';
import { failure } from '../../test/support/secret-client.js';
import { createDispatcher } from '../dispatch.js';
import type { Engine } from '../engine.js';
import type { AnyMethod, Call } from '../method.js';
import { METHODS } from '../methods.generated.js';
import { createOwner, type Principal } from '../principal.js';
import { forgetKeys } from './forget-keys.js';
import { KEPT_MS, repeatCalls } from './repeat-calls.js';
import { SECRET_ANSWERS } from './secret-answers.js';

let fixture: AccessFixture;
beforeEach(async () => {
  fixture = await openFixture();
});
afterEach(async () => {
  vi.useRealTimers();
  await fixture.remove();
});

const rows = () => fixture.stores.rows();
const kept = async () => (await (await rows()).table(idempotencyKeys).list()).rows.map(({ row }) => row);

/** One instance of the server: it shares only the store. */
function instance(work: (input: { id: string }) => unknown, more: Partial<Call> = {}, applies: object = METHODS['secrets.apply']) {
  const engine = { temporal: temporalWith('ann@desk') } as unknown as Engine;
  const run = async (_: unknown, input: never, { seed }: { seed?: string }) => work({ id: seed ?? '', ...(input as object) });
  const named = (name: keyof typeof METHODS) => ({ ...METHODS[name], run }) as unknown as AnyMethod;
  const methods = Object.fromEntries(
    (['settings.set', 'operations.pause', 'batches.rollback', 'tokens.create', 'workspaces.upload'] as const).map((name) => [
      name,
      named(name),
    ]),
  );
  const secrets = { 'secrets.apply': { ...applies, run } as unknown as AnyMethod };
  const call = { engine, principal: createOwner('ann@desk'), repeat: repeatCalls(rows), ...more };
  return createDispatcher(call, { ...methods, ...secrets });
}

/** Temporal with workflows of this actor. */
const temporalWith = (actor: string) => ({
  options: { namespace: 'n' },
  workflowService: {
    describeWorkflowExecution: async () => ({
      workflowExecutionInfo: {
        searchAttributes: { indexedFields: { ProvisioningActor: { data: Buffer.from(JSON.stringify(actor)) } } },
      },
    }),
  },
});

const pause = { operation: 'op', why: 'lunch' };
const rollback = { batch: 'b', as: 'b2' };

test('a call that is repeated with its key is done once, by whichever instance, and has the same answer', async () => {
  let done = 0;
  const work = () => ({ batch: `b${++done}` });
  const [one, two] = [instance(work), instance(work)];
  expect(await one.call('batches.rollback', rollback, { key: 'k' })).toEqual({ batch: 'b1' });
  expect(await two.call('batches.rollback', { as: 'b2', batch: 'b' }, { key: 'k' })).toEqual({ batch: 'b1' });
  expect(await two.call('batches.rollback', rollback)).toEqual({ batch: 'b2' });
  expect(await two.call('batches.rollback', rollback, { key: 'k2' })).toEqual({ batch: 'b3' });
});

test('a call without an answer is repeated without one', async () => {
  let done = 0;
  const { call } = instance(() => void done++);
  expect(await call('operations.pause', pause, { key: 'k' })).toBeUndefined();
  expect(await call('operations.pause', pause, { key: 'k' })).toBeUndefined();
  expect(done).toBe(1);
});

test('another request with the key is refused, also one for another method', async () => {
  const { call } = instance(() => undefined);
  await call('operations.pause', pause, { key: 'k' });
  const reused = failure('idempotency-key-reused');
  await expect(call('operations.pause', { ...pause, why: 'tea' }, { key: 'k' })).rejects.toMatchObject(reused);
  await expect(call('batches.rollback', rollback, { key: 'k' })).rejects.toMatchObject(reused);
});

test('the key of another principal is another key', async () => {
  let done = 0;
  const work = () => void done++;
  await instance(work).call('operations.pause', pause, { key: 'k' });
  await instance(work, { principal: createOwner('bob@desk') }).call('operations.pause', pause, { key: 'k' });
  expect(done).toBe(2);
});

test('of fifty calls at a time with one key one is done, and the others hear that it runs', async () => {
  let done = 0;
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const work = async () => {
    done++;
    await ended;
  };
  const instances = [instance(work), instance(work)];
  const calls = Array.from({ length: 50 }, (_, at) => instances[at % 2]?.call('operations.pause', pause, { key: 'k' }));
  const settled = Promise.allSettled(calls);
  await vi.waitFor(() => expect(done).toBe(1), 30_000);
  // The others are refused while it runs.
  await Promise.any(
    calls.map((call) =>
      call?.then(
        () => Promise.reject(new Error('done')),
        () => true,
      ),
    ),
  );
  await vi.waitFor(async () => expect(await kept()).toHaveLength(1), 30_000);
  await expect(instances[1]?.call('operations.pause', pause, { key: 'k' })).rejects.toMatchObject({
    details: { code: 'idempotency-key-in-use', retryAfterMs: expect.any(Number) },
  });
  end();
  const outcomes = await settled;
  expect(done).toBe(1);
  for (const outcome of outcomes)
    if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject(failure('idempotency-key-in-use'));
});

test('a call that fails frees its key', async () => {
  let fails = true;
  const { call } = instance(() => {
    if (fails) throw inputError({ code: 'not-running', what: 'pause', why: 'it has ended' });
  });
  await expect(call('operations.pause', pause, { key: 'k' })).rejects.toMatchObject(failure('not-running'));
  expect(await kept()).toEqual([]);
  fails = false;
  await call('operations.pause', pause, { key: 'k' });
  expect(await kept()).toHaveLength(1);
});

test('a refused call leaves no key', async () => {
  const may: Principal['may'] = () => false;
  const { call } = instance(() => undefined, { principal: { actor: 'eve', owner: true, may } });
  await expect(call('operations.pause', pause, { key: 'k' })).rejects.toMatchObject(failure('forbidden'));
  expect(await kept()).toEqual([]);
});

/** Leaves a key as an instance does that was killed while its call ran. */
async function leaveCut(name: string, input: unknown) {
  let begun = () => {};
  const hasBegun = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const { call } = instance(() => {
    begun();
    return new Promise(() => {});
  });
  void call(name, input, { key: 'k' });
  await hasBegun;
  const [row] = await kept();
  await (await rows()).table(idempotencyKeys).put({ ...row, until: new Date(0).toISOString() } as never);
}

test('after an instance was killed the call goes on, and what it had started is not started again', async () => {
  await leaveCut('batches.rollback', rollback);
  let done = 0;
  const exists = () => {
    done++;
    throw inputError({ code: 'operation-exists', what: 'submit', why: 'the id was used before' });
  };
  const foreign = { temporal: temporalWith('eve@desk') } as unknown as Engine;
  await expect(instance(exists, { engine: foreign }).call('batches.rollback', rollback, { key: 'k' })).rejects.toMatchObject(
    failure('operation-exists'),
  );
  await leaveCut('batches.rollback', rollback);
  const { call } = instance(exists);
  expect(await call('batches.rollback', rollback, { key: 'k' })).toEqual({ batch: 'b2' });
  expect(await call('batches.rollback', rollback, { key: 'k' })).toEqual({ batch: 'b2' });
  expect(done).toBe(2);
});

test('the answer of a call that was cut is read from what it had started, if it does not follow from the input', async () => {
  const input = { workspace: 'default', infra: 'shop', name: 'key', as: 'batch-secret-1' };
  const method = {
    ...METHODS['secrets.apply'],
    startedBefore: ({ as }: { as: string }) => ({ id: as, read: async () => ({ batch: as, infras: ['shop', 'blog'] }) }),
  };
  await leaveCut('secrets.apply', input);
  const exists = () => {
    throw inputError({ code: 'operation-exists', what: 'submit', why: 'the id was used before' });
  };
  expect(await instance(exists, {}, method).call('secrets.apply', input, { key: 'k' })).toEqual({
    batch: 'batch-secret-1',
    infras: ['shop', 'blog'],
  });
});

test('of a call that may have been done before its instance was killed, the outcome is unknown', async () => {
  await leaveCut('operations.pause', pause);
  const { call } = instance(() => undefined);
  await expect(call('operations.pause', pause, { key: 'k' })).rejects.toMatchObject(failure('idempotency-outcome-unknown'));
});

test('a call that changes nothing twice runs again after its instance was killed', async () => {
  const part = { workspace: 'shop', parts: [{ hash: 'a'.repeat(64), size: 1 }] };
  await leaveCut('workspaces.upload', part);
  const answer = { upload: 'b'.repeat(64), missing: [] };
  const { call } = instance(() => answer);
  expect(await call('workspaces.upload', part, { key: 'k' })).toEqual(answer);
  const repeatable = Object.values(METHODS).filter((one) => 'repeatable' in one);
  expect(repeatable.map(({ name }) => name)).toEqual(['bundles.put', 'workspaces.import', 'workspaces.upload']);
});

test('a start that was not answered is found by the next call', async () => {
  const lost = () => {
    throw unreachableError({ code: 'connection-lost', what: 'submit', why: 'no answer' });
  };
  await expect(instance(lost).call('batches.rollback', rollback, { key: 'k' })).rejects.toMatchObject(failure('connection-lost'));
  const { call } = instance(() => {
    throw inputError({ code: 'operation-exists', what: 'submit', why: 'the id was used before' });
  });
  expect(await call('batches.rollback', rollback, { key: 'k' })).toEqual({ batch: 'b2' });
});

test('a method whose answer has a secret takes no key', async () => {
  const { call } = instance(() => ({ token: 'canary' }));
  const input = { account: 'ci' };
  await expect(call('tokens.create', input, { key: 'k' })).rejects.toMatchObject(failure('idempotency-key-refused'));
  expect(await kept()).toEqual([]);
  for (const name of SECRET_ANSWERS) expect(METHODS).toHaveProperty([name]);
});

test('keys are forgotten after their time, and not before', async () => {
  const { call } = instance(() => undefined);
  await call('operations.pause', pause, { key: 'k' });
  expect(await forgetKeys(await rows())).toBe(0);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + KEPT_MS + 1_000 });
  // It has no effect any more, whether it was deleted or not.
  await call('operations.pause', { ...pause, why: 'tea' }, { key: 'k' });
  vi.setSystemTime(Date.now() + KEPT_MS + 86_400_000);
  expect(await forgetKeys(await rows())).toBe(1);
  expect(await kept()).toEqual([]);
});
