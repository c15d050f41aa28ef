import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { LIMITS } from '../core/limits.js';
import { type Client, clientOver } from './client.js';
import { dispatcherOf } from './dispatch.js';
import type { Engine } from './engine.js';
import type { AnyMethod } from './method.js';
import { METHODS } from './methods.generated.js';
import { ownerOf, type Principal } from './principal.js';

/** A client of methods that do nothing but say that they were reached. */
function reached(principal: Principal = ownerOf('ann@desk')) {
  const calls: string[] = [];
  const methods = Object.fromEntries(
    Object.entries<AnyMethod>(METHODS).map(([name, method]) => [
      name,
      { ...method, run: async () => void calls.push(name) } as unknown as AnyMethod,
    ]),
  );
  const client: Client = clientOver({ ...dispatcherOf({ engine: {} as Engine, principal }, methods), close: async () => {} });
  return { client, calls };
}

const request = {
  id: 'cluster-ensure-shop-1',
  kind: 'cluster' as const,
  workspace: 'default',
  infra: 'shop',
  intent: { verb: 'ensure' as const },
};
const batch = {
  id: 'batch-all-1',
  name: 'all',
  workspace: 'default',
  parallel: 1,
  accounts: {},
  priority: 3 as const,
  onFailure: 'keep' as const,
  operations: [],
  definitions: {},
};

test('what is too large never reaches a method, whoever asks', async () => {
  const { client, calls } = reached();
  const definition = { page: 'x'.repeat(2 ** 21) } as never;
  await expect(client.operations.submit({ request: { ...request, definition } })).rejects.toMatchObject({
    details: { code: 'too-large', blame: 'user', what: 'submit the operation', on: 'cluster-ensure-shop-1' },
  });
  await expect(client.operations.decide({ operation: 'op', decision: 'retry', definition })).rejects.toThrow(
    /2 MiB of it are long texts.*at most 1 MiB/,
  );
  await expect(client.operations.pause({ operation: 'op', why: 'x'.repeat(2 ** 21) })).rejects.toThrow(/at most 1 MiB/);
  await expect(client.batches.submit({ definitions: { a: 'x'.repeat(2 ** 26) } } as never)).rejects.toThrow(/more than 32 MiB/);
  expect(calls).toEqual([]);
});

test('what is asked arrives as it was asked: with its keys in their order', async () => {
  const arrived: string[] = [];
  const submit = {
    ...METHODS['operations.submit'],
    run: async (_: unknown, input: unknown) => void arrived.push(JSON.stringify(input)),
  };
  const methods = { 'operations.submit': submit as unknown as AnyMethod };
  const dispatcher = dispatcherOf({ engine: {} as Engine, principal: ownerOf('ann@desk') }, methods);
  const turned = { request: Object.fromEntries(Object.entries(request).reverse()) };
  await dispatcher.call('operations.submit', turned);
  expect(arrived).toEqual([JSON.stringify(turned)]);
});

test.each(Object.values<AnyMethod>(METHODS).map(({ name, input }) => [name, input] as const))(
  'the input of %s is judged and not changed: it has no defaults and no transforms',
  (_, input) => {
    const schemaOf = (io: 'input' | 'output') => z.toJSONSchema(input, { unrepresentable: 'any', io });
    expect(schemaOf('input')).toEqual(schemaOf('output'));
  },
);

describe('a batch', () => {
  const submit = async (more: object) => {
    const { client, calls } = reached();
    await client.batches.submit({ ...batch, ...more });
    return calls;
  };
  const servers = (count: number) => ({ servers: Array.from({ length: count }, () => ({})) });

  test('carries what it carries in all', async () => {
    const definitions = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [index, { page: 'x'.repeat(2 ** 20) }]));
    const operations = Array.from({ length: LIMITS.operations }, (_, index) => ({ name: `o${index}` }));
    const last = { needs: Array.from({ length: LIMITS.operations }, (_, index) => index) };
    expect(await submit({ definitions, operations: [...operations.slice(1), last] })).toEqual(['batches.submit']);
  });

  test.each([
    [
      'a definition of long texts',
      { definitions: { a: { page: 'x'.repeat(2 ** 21) } } },
      /definition a: 2 MiB of it are long texts/,
    ],
    ['a large definition', { definitions: { a: Array(12_000).fill('x'.repeat(500)) } }, /definition a: it is more than 5 MiB/],
    ['a definition of too many servers', { definitions: { a: servers(5_001) } }, /5001 servers, at most 5000/],
    ['too many operations', { operations: Array(LIMITS.operations + 1).fill({}) }, /20001 operations, at most 20000/],
    ['an operation of too many names', { operations: [{}, { servers: Array(9_000).fill('web-1000') }] }, /operation 2: .*64 KiB/],
  ])('is refused with %s', async (_, more, why) => {
    await expect(submit(more)).rejects.toThrow(why);
    await expect(submit(more)).rejects.toMatchObject({ details: { code: 'too-large', blame: 'user', what: 'submit the batch' } });
  });
});

describe('who may not', () => {
  const reader: Principal = { actor: 'eve@desk', may: (action) => action.endsWith(':read') };

  test('do something may look', async () => {
    const { client, calls } = reached(reader);
    await client.operations.progress({ operation: 'op' });
    await expect(client.operations.cancel({ operation: 'op' })).rejects.toMatchObject({
      details: { code: 'forbidden', blame: 'user', on: 'Operation op', why: 'eve@desk may not do "operation:cancel"' },
    });
    expect(calls).toEqual(['operations.progress']);
  });

  test('is told so of what it is about, by type and id', async () => {
    const asked: unknown[] = [];
    const { client } = reached({ actor: 'eve@desk', may: (action, resource) => asked.push([action, resource]) > 0 });
    await client.operations.submit({ request });
    await client.infras.locks({ workspace: 'default', infra: 'shop' });
    await client.providers.zones({ provider: 'hetzner/prod' });
    expect(asked).toEqual([
      ['operation:submit', { type: 'Infra', id: 'default/shop' }],
      ['infra:read', { type: 'Infra', id: 'default/shop' }],
      ['provider:read', { type: 'Provider', id: 'hetzner/prod' }],
    ]);
  });
});
