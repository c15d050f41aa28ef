import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { inputError } from '../core/errors.js';
import { ensureKey } from '../encryption/keys.js';
import { homeOf } from '../home/home.js';
import { openStores } from '../stores/open-stores.js';
import { auditRecords } from '../stores/rows/audit-records.js';
import type { Rows } from '../stores/rows.js';
import type { Stores } from '../stores/stores.js';
import { describeRecords } from './audit/describe-records.js';
import { recordSignIns } from './audit/record-sign-ins.js';
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

/** All records, with the names of callers. */
async function recorded() {
  const rows = await stores.rows();
  const found = (await rows.log(auditRecords).list()).rows;
  return Promise.all(found.map(({ row }) => describeRecords(rows)(row)));
}

/** Returns the records as the database stores them, including sealed parts. */
const texts = async () => JSON.stringify((await (await stores.rows()).log(auditRecords).list()).rows);

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
  const records = recordCalls(rows);
  const door = { kind: 'https' as const, address: '192.0.2.7' };
  return { ...createDispatcher({ engine: { stores: {} } as Engine, principal, door, ...records }, methods), records };
}

test('a change is recorded before it runs, and with its outcome', async () => {
  const during: unknown[] = [];
  const { call } = dispatcher(async () => {
    during.push(...(await recorded()));
    return { operation: 'made' };
  });
  await call('operations.pause', { operation: 'op', why: CANARY });
  const [asked, done] = await recorded();
  expect(during).toMatchObject([{ id: asked?.id, isOpen: true }]);
  expect(asked).toMatchObject({
    ...{ id: `${asked?.chain}/1`, call: expect.stringMatching(/^[0-9a-f-]{36}$/), class: 'changes', sequence: 1 },
    ...{ actor: 'ann@desk', door: 'https', address: '192.0.2.7', method: 'operations.pause', action: 'operation:pause' },
    ...{ resource: 'Operation op', decision: 'allowed', reason: 'owner', outcome: 'asked' },
    input: { fields: { operation: 'op' }, rest: expect.stringMatching(/^[\w-]{43}$/) },
  });
  expect(asked).not.toHaveProperty('isOpen');
  expect(done).toMatchObject({ id: `${asked?.chain}/2`, call: asked?.call, outcome: 'done', operation: 'made' });
  // Names stand apart, so that a person can be erased.
  expect(await texts()).not.toMatch(/canary|ann@desk|192\.0\.2/);
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

test('reads of one caller and method are one record with their number, and open no store before it is written', async () => {
  let opened = 0;
  const { call, records } = dispatcher(undefined, undefined, async () => {
    opened++;
    return stores.rows();
  });
  await call('infras.locks', { workspace: 'default', infra: 'shop' });
  await call('infras.locks', { workspace: 'default', infra: 'shop' });
  // Invalid input is not a denial.
  await expect(call('infras.locks', { workspace: 1 })).rejects.toMatchObject({ details: { code: 'bad-request' } });
  expect(opened).toBe(0);
  await records.close();
  expect(await recorded()).toEqual([
    expect.objectContaining({ class: 'reads', method: 'infras.locks', resource: 'Infra default/shop', outcome: 'read', count: 2 }),
  ]);
});

test('a read runs although it cannot be recorded, and the log says so', async () => {
  const said = vi.spyOn(console, 'error').mockImplementation(() => {});
  try {
    const { call, records } = dispatcher(
      async () => 'locks',
      undefined,
      () => Promise.reject(new Error('the disk is full')),
    );
    expect(await call('infras.locks', { workspace: 'default', infra: 'shop' })).toBe('locks');
    await records.close();
    expect(said).toHaveBeenCalledWith(expect.stringContaining('the disk is full'));
  } finally {
    said.mockRestore();
  }
});

test('each denial is a record, those of reads with the number of equal ones within a minute', async () => {
  const { call, records } = dispatcher(undefined, { actor: 'eve@desk', owner: true, may: () => false });
  for (let time = 0; time < 3; time++)
    await expect(call('infras.locks', { workspace: 'default', infra: 'shop' })).rejects.toMatchObject({
      details: { code: 'forbidden' },
    });
  const denied = { class: 'access', actor: 'eve@desk', decision: 'denied', reason: 'forbidden', outcome: 'refused' };
  expect(await recorded()).toMatchObject([denied]);
  await records.close();
  expect(await recorded()).toMatchObject([denied, { ...denied, count: 2 }]);
});

test('a refused token is recorded with its address, and what is no call as it is given', async () => {
  const { records } = dispatcher();
  await recordSignIns(records, '192.0.2.9', () => {})({ reason: 'expired', token: 't1', actor: 'service-account:ci' });
  await records.note({ class: 'access', method: 'first-administrator', outcome: 'done', resource: 'Token t2' });
  expect(await recorded()).toMatchObject([
    { class: 'sign-ins', actor: 'service-account:ci', address: '192.0.2.9', reason: 'expired', resource: 'Token t1' },
    { class: 'access', method: 'first-administrator', outcome: 'done' },
  ]);
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
  const rows = async (): Promise<Rows> => {
    const opened = await stores.rows();
    const log = (...[of]: Parameters<Rows['log']>) => {
      const kept = opened.log(of);
      const appendNow: typeof kept.appendNow = (given) =>
        isFull ? Promise.reject(new Error('the disk is full')) : kept.appendNow(given);
      return { ...kept, appendNow };
    };
    return { ...opened, log: log as Rows['log'], table: (of) => opened.table(of) };
  };
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
