import { expect, test } from 'vitest';
import { bounded } from './bounded.js';
import type { Client } from './client.js';

test('what is too large never reaches Temporal, whoever asks', async () => {
  const calls: string[] = [];
  const call = (name: string) => async () => {
    calls.push(name);
    return name;
  };
  const client = bounded({ submit: call('submit'), decide: call('decide'), submitBatch: call('submitBatch') } as unknown as Client);
  const request = { id: 'cluster-ensure-shop-1', infra: 'shop', definition: { page: 'x'.repeat(2 ** 21) } } as never;
  await expect(client.submit(request)).rejects.toMatchObject({
    details: { code: 'too-large', blame: 'user', what: 'submit the operation', on: 'cluster-ensure-shop-1' },
  });
  await expect(client.decide('operation', request, {} as never)).rejects.toThrow(/2 MiB of it are long texts.*at most 1 MiB/);
  expect(calls).toEqual([]);
  const half = { id: 'a', definition: { page: 'x'.repeat(2 ** 19) } } as never;
  await client.submit(half);
  await client.submitBatch(request);
  await expect(client.submitBatch({ definitions: { a: 'x'.repeat(2 ** 26) } } as never)).rejects.toThrow(/more than 32 MiB/);
  expect(calls).toEqual(['submit', 'submitBatch']);
});
