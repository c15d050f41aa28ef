import { expect, test } from 'vitest';
import type { StoreRecord, StoreRecords } from '../../../stores/records.js';
import { findChangedSecrets } from './find-collisions.js';

const secret = (name: string, value: string, infra = ''): StoreRecord => ({
  kind: 'secret',
  name: ['default', infra, name],
  bytes: Buffer.from(value),
});
const storeWith = (...records: StoreRecord[]): Pick<StoreRecords, 'read'> => ({
  async *read(kind) {
    for (const record of records) if (record.kind === kind) yield record;
  },
});
const imported = [secret('token', 'a'), secret('password', 'b', 'shop')];

test.each([
  ['the same values, and secrets that were not imported', [...imported, secret('other', 'c')], [], []],
  ['another value', [secret('token', 'x'), secret('password', 'b', 'shop')], ['secret token'], ['secret token']],
  ['a missing one', [secret('token', 'a')], ['secret password of shop'], []],
])('secrets with %s', async (_, here, whole, cut) => {
  expect(await findChangedSecrets(storeWith(...here), imported, true)).toEqual(whole);
  expect(await findChangedSecrets(storeWith(...here), imported, false)).toEqual(cut);
});
