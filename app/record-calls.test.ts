import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { inputError } from '../core/errors.js';
import { ensureKey } from '../encryption/keys.js';
import { homeOf } from '../home/home.js';
import { openStores } from '../stores/open-stores.js';
import { auditEvents } from '../stores/rows/audit-events.js';
import type { Stores } from '../stores/stores.js';
import { createDispatcher } from './dispatch.js';
import type { Engine } from './engine.js';
import type { AnyMethod } from './method.js';
import { METHODS } from './methods.generated.js';
import { createOwner, type Principal } from './principal.js';
import { recordCalls } from './record-calls.js';

const CANARY = 'canary-4c1d';
let folder: string;
let stores: Stores;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'record-calls-'));
  const home = homeOf({ PROVISIONING_HOME: join(folder, 'home') });
  await ensureKey({ folder: home.encryption, env: { HOME: home.root }, setUp: async () => 'cafe' });
  stores = await openStores(home, { HOME: home.root });
});
afterEach(async () => {
  await stores.close();
  rmSync(folder, { recursive: true });
});

const recorded = async () => (await (await stores.rows()).log(auditEvents).list()).rows.map(({ row }) => row);

/** A dispatcher of three methods, of which one does `work`. */
function dispatcher(
  work: () => Promise<unknown> = async () => undefined,
  principal: Principal = createOwner('ann@desk'),
  rows = stores.rows,
) {
  const named = (name: keyof typeof METHODS) => ({ ...METHODS[name], run: work }) as unknown as AnyMethod;
  const methods = {
    'operations.pause': named('operations.pause'),
    'secrets.set': named('secrets.set'),
    'infras.locks': named('infras.locks'),
  };
  return createDispatcher({ engine: {} as Engine, principal, ...recordCalls(rows) }, methods);
}

test('a call that changes something is recorded before it runs, and with its outcome; its input never', async () => {
  const during: unknown[] = [];
  const { call } = dispatcher(async () => void during.push(...(await recorded())));
  await call('operations.pause', { operation: 'op', why: CANARY });
  const [asked, done] = await recorded();
  expect(during).toEqual([asked]);
  expect(asked).toEqual({
    id: `${asked?.call}/asked`,
    call: expect.stringMatching(/^[0-9a-f-]{36}$/),
    at: expect.any(String),
    actor: 'ann@desk',
    method: 'operations.pause',
    action: 'operation:pause',
    resource: 'Operation op',
    outcome: 'asked',
  });
  expect(done).toEqual({ ...asked, id: `${asked?.call}/ended`, at: expect.any(String), outcome: 'done' });
});

test('a failed call has the code of its error, and neither its text nor a secret', async () => {
  const { call } = dispatcher(async () => {
    throw inputError({ code: 'bad-secret', what: 'keep', on: CANARY, why: CANARY });
  });
  await expect(call('secrets.set', { workspace: 'default', name: 'pw', value: CANARY })).rejects.toThrow(CANARY);
  const events = await recorded();
  expect(events.map(({ method, outcome, code }) => [method, outcome, code])).toEqual([
    ['secrets.set', 'asked', undefined],
    ['secrets.set', 'failed', 'bad-secret'],
  ]);
  expect(JSON.stringify(events)).not.toContain(CANARY);
});

test('a call that only reads is not recorded, and opens no store', async () => {
  let opened = 0;
  const { call } = dispatcher(undefined, undefined, async () => {
    opened++;
    return stores.rows();
  });
  await call('infras.locks', { workspace: 'default', infra: 'shop' });
  await expect(call('infras.locks', { workspace: 1 })).rejects.toMatchObject({ details: { code: 'bad-request' } });
  expect([opened, await recorded()]).toEqual([0, []]);
});

test('a refused call is recorded once, with what is known of it', async () => {
  const nobody: Principal = { actor: 'eve@desk', owner: true, may: () => false };
  const { call } = dispatcher(undefined, nobody);
  await expect(call('operations.pause', { operation: 'op', why: CANARY })).rejects.toMatchObject({
    details: { code: 'forbidden' },
  });
  await expect(call('operations.pause', { operation: 4 })).rejects.toMatchObject({ details: { code: 'bad-request' } });
  const events = await recorded();
  expect(events).toMatchObject([
    { actor: 'eve@desk', method: 'operations.pause', resource: 'Operation op', outcome: 'refused', code: 'forbidden' },
    { actor: 'eve@desk', method: 'operations.pause', outcome: 'refused', code: 'bad-request' },
  ]);
  expect(events[1]).not.toHaveProperty('resource');
  expect(JSON.stringify(events)).not.toContain(CANARY);
});

test('a call whose record cannot be written does not run, and says why', async () => {
  const said = vi.spyOn(console, 'error').mockImplementation(() => {});
  try {
    const ran = vi.fn();
    const full = inputError({ code: 'store-unreachable', what: 'append rows', why: 'the disk is full' });
    const { call } = dispatcher(
      async () => ran(),
      undefined,
      () => Promise.reject(full),
    );
    await expect(call('operations.pause', { operation: 'op', why: 'x' })).rejects.toBe(full);
    expect(ran).not.toHaveBeenCalled();
  } finally {
    said.mockRestore();
  }
});

test('a call that ran is answered even if its outcome cannot be recorded', async () => {
  let isFull = false;
  const rows = () => (isFull ? Promise.reject(new Error('the disk is full')) : stores.rows());
  const { call } = dispatcher(
    async () => {
      isFull = true;
      return 'done';
    },
    undefined,
    rows,
  );
  expect(await call('operations.pause', { operation: 'op', why: 'x' })).toBe('done');
  isFull = false;
  expect((await recorded()).map(({ outcome }) => outcome)).toEqual(['asked']);
});
