import { describe, expect, test } from 'vitest';
import type { Client } from '../../client/client.js';
import { LIMITS } from '../../core/limits.js';
import { bounded } from './bounded.js';

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

describe('a batch', () => {
  const client = bounded({ submit: async () => 'taken', submitBatch: async () => 'taken' } as unknown as Client);
  const submit = (batch: object) => client.submitBatch({ id: 'batch-all-1', operations: [], definitions: {}, ...batch } as never);
  const servers = (count: number) => ({ servers: Array.from({ length: count }, () => ({})) });

  test('carries what it carries in all', async () => {
    const definitions = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [index, { page: 'x'.repeat(2 ** 20) }]));
    const operations = Array.from({ length: LIMITS.operations }, (_, index) => ({ name: `o${index}` }));
    const last = { needs: Array.from({ length: LIMITS.operations }, (_, index) => index) };
    expect(await submit({ definitions, operations: [...operations.slice(1), last] })).toBe('taken');
  });

  test.each([
    [
      'a definition of long texts',
      { definitions: { a: { page: 'x'.repeat(2 ** 21) } } },
      /definition a: 2 MiB of it are long texts/,
    ],
    ['a large definition', { definitions: { a: Array(7_000).fill('x'.repeat(500)) } }, /definition a: it is more than 3 MiB/],
    ['a definition of too many servers', { definitions: { a: servers(2_001) } }, /2001 servers, at most 2000/],
    ['too many operations', { operations: Array(LIMITS.operations + 1).fill({}) }, /20001 operations, at most 20000/],
    ['an operation of too many names', { operations: [{}, { servers: Array(9_000).fill('web-1000') }] }, /operation 2: .*64 KiB/],
  ])('is refused with %s', async (_, batch, why) => {
    await expect(submit(batch)).rejects.toThrow(why);
    await expect(submit(batch)).rejects.toMatchObject({ details: { code: 'too-large', blame: 'user', what: 'submit the batch' } });
  });

  test('as an operation, too many servers are refused', async () => {
    await expect(client.submit({ id: 'a', definition: servers(2_001) } as never)).rejects.toThrow(/2001 servers/);
    expect(await client.submit({ id: 'a', definition: servers(2_000) } as never)).toBe('taken');
  });
});
