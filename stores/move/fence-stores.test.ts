import { expect, test } from 'vitest';
import type { Stores } from '../stores.js';
import { fenceStores } from './fence-stores.js';

/** Stores that note their calls, and a fence that can be closed. */
function noted() {
  const calls: string[] = [];
  let isClosed = false;
  const part = (name: string, methods: readonly string[]): Record<string, unknown> =>
    Object.fromEntries(methods.map((method) => [method, async () => void calls.push(`${name}.${method}`)]));
  const stores = {
    secrets: { ...part('secrets', ['get', 'set']), within: () => part('within', ['history', 'delete']) },
    logs: part('logs', ['read', 'open']),
    rows: async () => ({ ...part('rows', ['read']), table: () => part('table', ['get', 'put', 'compareAndSet']) }),
    close: async () => void calls.push('close'),
  } as unknown as Stores;
  const fence = async () => {
    if (isClosed) throw new Error('closed');
  };
  return {
    calls,
    stores: fenceStores(stores, fence),
    close: () => {
      isClosed = true;
    },
  };
}

test('a fence stops calls that write, also in parts of a store, and none that reads', async () => {
  const { calls, stores, close } = noted();
  const table = (await stores.rows()).table({} as never);
  const scope = stores.secrets.within({ workspace: 'w' });
  await stores.secrets.set('a', 'b');
  await table.put({});
  expect(calls).toEqual(['secrets.set', 'table.put']);
  close();
  const writes = [
    () => stores.secrets.set('a', 'b'),
    () => scope.delete('a'),
    () => stores.logs.open({} as never),
    () => table.compareAndSet({}, undefined),
  ];
  for (const write of writes) await expect(write()).rejects.toThrow('closed');
  await stores.secrets.get('a');
  await scope.history('a');
  await table.get({} as never);
  await stores.logs.read('o');
  await stores.close();
  expect(calls.slice(2)).toEqual(['secrets.get', 'within.history', 'table.get', 'logs.read', 'close']);
});

test('a write that a move has overtaken is not acknowledged', async () => {
  const { calls, stores, close } = noted();
  const { secrets } = stores;
  const written = secrets.set('a', 'b');
  // The write begins, and the fence closes before it ends.
  queueMicrotask(close);
  await expect(written).rejects.toThrow('closed');
  expect(calls).toEqual(['secrets.set']);
});
