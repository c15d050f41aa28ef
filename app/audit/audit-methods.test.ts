import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { clientOver } from '../../client/client.js';
import { ensureKey } from '../../encryption/keys.js';
import { homeOf } from '../../home/home.js';
import { verifyChains } from '../../stores/audit/verify-chains.js';
import { openStores } from '../../stores/open-stores.js';
import { type AuditEvent, auditEvents } from '../../stores/rows/audit-events.js';
import { auditRecords } from '../../stores/rows/audit-records.js';
import type { Stores } from '../../stores/stores.js';
import { createDispatcher } from '../dispatch.js';
import type { Engine } from '../engine.js';
import { createOwner, type Principal } from '../principal.js';
import { recordCalls } from '../record-calls.js';

let folder: string;
let stores: Stores;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'audit-methods-'));
  const home = homeOf({ PROVISIONING_HOME: join(folder, 'home') });
  await ensureKey({ folder: home.encryption, env: { HOME: home.root }, setUp: async () => 'cafe' });
  stores = await openStores(home, { HOME: home.root });
});
afterEach(async () => {
  await stores.close();
  rmSync(folder, { recursive: true });
});

/** Creates a platform that records its calls in the home. Answers are validated by their schemas. */
function platformOf(principal: Principal = createOwner('ann@desk'), kept: unknown = stores) {
  const dispatcher = createDispatcher({
    engine: { stores: kept } as Engine,
    principal,
    checksAnswers: true,
    ...recordCalls(stores.rows),
  });
  return { call: dispatcher.call, audit: clientOver({ ...dispatcher, close: async () => {} }).audit };
}

const MINUTE = 60_000;
const START = Date.parse('2026-11-29T10:00:00.000Z');
const timeOf = (minute: number) => new Date(START + minute * MINUTE).toISOString();

/** A record for each minute after ten. */
const append = async (...records: Partial<AuditEvent>[]) => {
  const events = records.map(
    (more, minute): AuditEvent => ({
      ...{ id: `${minute}/asked`, call: String(minute), at: timeOf(minute), actor: 'ann@desk', method: 'operations.submit' },
      ...{ action: 'operation:submit', resource: 'Infra default/shop', outcome: 'asked' },
      ...more,
    }),
  );
  const log = (await stores.rows()).log(auditEvents);
  for (let from = 0; from < events.length; from += 500) await log.append(events.slice(from, from + 500));
};

const numbersOf = (records: { call: string }[]) => records.map(({ call }) => Number(call));

test('calls are listed newest first with their outcomes, and listing them is not recorded', async () => {
  const { call, audit } = platformOf();
  const { call: refuse } = platformOf({ actor: 'eve@desk', owner: true, may: () => false });
  await expect(refuse('operations.pause', { operation: 'op-1' })).rejects.toMatchObject({ details: { code: 'forbidden' } });
  await expect(call('operations.pause', { operation: 4 })).rejects.toMatchObject({ details: { code: 'bad-request' } });
  const records = await audit.list({});
  expect(await audit.list({})).toEqual(records);
  for (const { id, call: of } of records) {
    expect((await audit.get({ record: id })).records).toContainEqual(expect.objectContaining({ id, call: of }));
    expect(await audit.get({ record: of })).toEqual(await audit.get({ record: id }));
  }
  await expect(audit.get({ record: 'abc.changes/9' })).rejects.toMatchObject({ details: { code: 'unknown-audit-record' } });
  expect(records).toEqual([
    expect.objectContaining({ actor: 'ann@desk', method: 'operations.pause', outcome: 'refused', code: 'bad-request' }),
    expect.objectContaining({ actor: 'eve@desk', resource: 'Operation op-1', outcome: 'refused', code: 'forbidden' }),
  ]);
});

test('there are 50 records without a limit, and pages lead to the oldest one', async () => {
  await append(...Array.from({ length: 60 }, () => ({})));
  const { audit, call } = platformOf();
  const all = Array.from({ length: 60 }, (_, minute) => 59 - minute);
  expect(numbersOf(await audit.list({}))).toEqual(all.slice(0, 50));
  expect(numbersOf(await audit.list({ limit: 1_000 }))).toEqual(all);
  expect(numbersOf(await audit.list({ limit: 3, sort: 'ascending' }))).toEqual([0, 1, 2]);
  const first = (await call('audit.list', { limit: 25 })) as { items: AuditEvent[]; next: string };
  const second = (await call('audit.list', { limit: 25, after: first.next })) as typeof first;
  expect([...numbersOf(first.items), ...numbersOf(second.items)]).toEqual(all.slice(0, 50));
  await expect(call('audit.list', { after: first.next, sort: 'ascending' })).rejects.toMatchObject({
    details: { code: 'bad-cursor' },
  });
});

test.each<[string, object, number[]]>([
  ['a caller', { actor: 'eve@desk' }, [1]],
  ['a method', { method: 'secrets.set' }, [2]],
  ['a text of the resource', { resource: 'default/hub' }, [3]],
  ['an outcome', { outcome: 'refused' }, [4]],
  ['a time at the earliest', { since: timeOf(3) }, [5, 4, 3]],
  ['a time at the latest, in another zone', { until: '2026-11-29T12:01:00+02:00' }, [1, 0]],
  ['both, with a caller', { since: timeOf(1), until: timeOf(4), actor: 'ann@desk' }, [4, 3, 2]],
  ['what no record has', { actor: 'nobody' }, []],
])('records of %s', async (_, filter, expected) => {
  await append(
    {},
    { actor: 'eve@desk' },
    { method: 'secrets.set', resource: 'Secret default/shop' },
    { resource: 'Infra default/hub' },
    { outcome: 'refused', resource: undefined as never },
    { outcome: 'done' },
  );
  const { audit } = platformOf();
  expect(numbersOf(await audit.list({ filter }))).toEqual(expected);
  expect(numbersOf(await audit.list({ filter, sort: 'ascending' }))).toEqual([...expected].reverse());
});

test('only a principal with the permission sees records', async () => {
  const asked: unknown[] = [];
  const may: Principal['may'] = (action, { type, id }) => asked.push([action, type, id]) < 0;
  await expect(platformOf({ actor: 'eve@desk', owner: true, may }).audit.list({})).rejects.toMatchObject({
    details: { code: 'forbidden' },
  });
  expect(asked).toEqual([['audit:read', 'Audit', '*']]);
});

test('a process without the rows of the home says that it needs a worker', async () => {
  await expect(platformOf(undefined, {}).audit.list({})).rejects.toMatchObject({ details: { code: 'no-worker' } });
});

test('a name is erased for good: records stay and verify, and no record has the name', async () => {
  const { call, audit } = platformOf();
  const eve = platformOf({ actor: 'eve@desk', owner: true, may: () => false });
  await expect(eve.call('operations.pause', { operation: 'op-1' })).rejects.toMatchObject({ details: { code: 'forbidden' } });
  const [identity] = await audit.identities({ name: 'eve@desk' });
  expect(identity).toMatchObject({ kind: 'principal', who: expect.stringMatching(/^[0-9a-f]{24}$/) });
  const { who = '' } = identity ?? {};
  await expect(eve.call('audit.erase', { who })).rejects.toMatchObject({ details: { code: 'forbidden' } });
  await call('audit.erase', { who });
  expect(await audit.identities({ name: 'eve@desk' })).toEqual([]);
  await expect(call('audit.erase', { who })).rejects.toMatchObject({ details: { code: 'unknown-audit-identity' } });
  const records = await audit.list({});
  expect(records.filter((one) => one.who === who).map(({ actor, outcome }) => [actor, outcome])).toEqual([
    [undefined, 'refused'],
    [undefined, 'refused'],
  ]);
  expect(records.filter(({ method, outcome }) => method === 'audit.erase' && outcome === 'asked')).toMatchObject([
    { actor: 'ann@desk', class: 'access', input: { fields: { who } } },
    { actor: 'ann@desk', class: 'access', input: { fields: { who } } },
  ]);
  expect(JSON.stringify(records)).not.toContain('eve@desk');
  const { rows } = await (await stores.rows()).log(auditRecords).list();
  expect(await verifyChains((await stores.rows()).log(auditRecords), new Map())).toMatchObject({
    problems: [],
    records: rows.length,
  });
});
