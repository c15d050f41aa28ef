import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { failedSignInsByAddress } from '../../stores/rows/failed-sign-ins.js';
import { type AccessFixture, openFixture } from '../../test/support/access-fixture.js';
import { guardSignIns, type SignInGuard, WINDOW_MS } from './sign-in-guard.js';

let fixture: AccessFixture;
let guards: SignInGuard[];
let opened: number;
beforeEach(async () => {
  fixture = await openFixture();
  guards = [];
  opened = 0;
});
afterEach(async () => {
  vi.useRealTimers();
  for (const one of guards) one.stop();
  await fixture.remove();
});

/** Creates an instance of the server, which shares its counts only on request. */
function instance(most = 10) {
  const rows = () => {
    opened++;
    return fixture.stores.rows();
  };
  const made = guardSignIns(rows, most, 3_600_000);
  guards.push(made);
  return made;
}
const fail = (guard: SignInGuard, address: string, times: number) => {
  for (let at = 0; at < times; at++) guard.failed(address);
};

test('failures are counted over all instances, and block the address at all of them', async () => {
  const [one, two] = [instance(), instance()];
  fail(one, '192.0.2.1', 6);
  fail(two, '192.0.2.1', 6);
  for (const guard of [one, two, one]) await guard.share();
  for (const guard of [one, two]) {
    expect(guard.blockedFor('192.0.2.1', 'bad')).toBeGreaterThan(0);
    expect(guard.blockedFor('192.0.2.2', 'bad')).toBeUndefined();
  }
});

test('neither a failure nor a good request costs a look into the store', () => {
  const guard = instance(1_000);
  fail(guard, '192.0.2.1', 999);
  guard.accepted('good');
  expect([guard.blockedFor('192.0.2.1', 'good'), opened]).toEqual([undefined, 0]);
});

test('a flood blocks at once, and from many addresses it makes few rows', async () => {
  const guard = instance();
  fail(guard, '192.0.2.1', 10);
  expect(guard.blockedFor('192.0.2.1', 'bad')).toBeGreaterThan(0);
  for (let at = 0; at < 5_000; at++) guard.failed(`10.0.${at >> 8}.${at & 255}`);
  await guard.share();
  const { rows } = await (await fixture.stores.rows()).table(failedSignInsByAddress).list({ limit: 1_000 });
  expect(rows).toHaveLength(100);
  expect(rows.some(({ row }) => row.address === '192.0.2.1')).toBe(true);
});

test('a token that was accepted passes from a blocked address', () => {
  const guard = instance();
  guard.accepted('Bearer good');
  fail(guard, '192.0.2.1', 10);
  expect(guard.blockedFor('192.0.2.1', 'Bearer good')).toBeUndefined();
  expect(guard.blockedFor('192.0.2.1', 'Bearer bad')).toBeGreaterThan(0);
});

test('a block ends by itself, and its row is deleted', async () => {
  const guard = instance();
  fail(guard, '192.0.2.1', 10);
  await guard.share();
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + WINDOW_MS + 1_000 });
  expect(guard.blockedFor('192.0.2.1', 'bad')).toBeUndefined();
  await guard.share();
  expect((await (await fixture.stores.rows()).table(failedSignInsByAddress).list()).rows).toEqual([]);
});
