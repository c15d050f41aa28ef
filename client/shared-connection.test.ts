import { expect, test } from 'vitest';
import { SharedConnection } from './shared-connection.js';

function connections() {
  const open: number[] = [];
  let count = 0;
  const shared = new SharedConnection(async () => {
    const id = ++count;
    open.push(id);
    return { id, close: async () => void open.splice(open.indexOf(id), 1) };
  });
  return { shared, open, settled: () => new Promise((resolve) => setImmediate(resolve)) };
}

test('calls share a connection, also one after the other', async () => {
  const { shared } = connections();
  const first = shared.lease();
  first.release();
  expect((await shared.lease().connection).id).toBe((await first.connection).id);
});

test('an abandoned connection stays open until its last user ends, and no later call gets it', async () => {
  const { shared, open, settled } = connections();
  const [failed, other] = [shared.lease(), shared.lease()];
  failed.abandon();
  const next = shared.lease();
  expect((await next.connection).id).toBe(2);
  failed.release();
  failed.release();
  await settled();
  expect(open).toEqual([1, 2]);
  other.release();
  await settled();
  expect(open).toEqual([2]);
});

test('users of one connection that fail together get one new connection', async () => {
  const { shared } = connections();
  const failed = Array.from({ length: 50 }, () => shared.lease());
  const next = failed.map((one) => {
    one.abandon();
    const lease = shared.lease();
    one.release();
    return lease;
  });
  expect(new Set(await Promise.all(next.map(async ({ connection }) => (await connection).id)))).toEqual(new Set([2]));
});

test('all connections are closed, and one that failed has nothing to close', async () => {
  const { shared, open } = connections();
  await shared.lease().connection;
  shared.lease().abandon();
  await shared.lease().connection;
  await shared.close();
  expect(open).toEqual([]);
  const failing = new SharedConnection<{ close(): Promise<void> }>(() => Promise.reject(new Error('refused')));
  failing.lease().connection.catch(() => {});
  await failing.close();
});
