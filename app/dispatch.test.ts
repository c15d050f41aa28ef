import { describe, expect, test } from 'vitest';
import { type Client, clientOver } from '../client/client.js';
import { LIMITS } from '../core/limits.js';
import { createDispatcher } from './dispatch.js';
import type { Engine } from './engine.js';
import type { AnyMethod, Call } from './method.js';
import { METHODS } from './methods.generated.js';
import { createOwner, type Principal } from './principal.js';

/** Creates an engine with one operation and one batch, which counts its queries. */
function engineWith(described: string[] = []): Engine {
  const keyword = (text: string) => ({ data: Buffer.from(JSON.stringify([text])) });
  const places: Record<string, object> = {
    op: { ProvisioningWorkspace: keyword('default'), ProvisioningInfra: keyword('shop') },
    all: { ProvisioningWorkspace: keyword('default') },
  };
  const describeWorkflowExecution = async ({ execution: { workflowId } }: { execution: { workflowId: string } }) => {
    described.push(workflowId);
    const indexedFields = places[workflowId];
    if (indexedFields) return { workflowExecutionInfo: { searchAttributes: { indexedFields } } };
    throw Object.assign(new Error('not found'), { code: 5, details: '', metadata: {} });
  };
  const temporal = { workflowService: { describeWorkflowExecution }, options: { namespace: 'n' } };
  return { temporal, stores: {} } as unknown as Engine;
}

/** A client of methods that do nothing but say that they were reached; each answer is an empty page. */
function reached(principal: Principal = createOwner('ann@desk'), engine = engineWith(), more: Partial<Call> = {}) {
  const calls: string[] = [];
  const methods = Object.fromEntries(
    Object.entries<AnyMethod>(METHODS).map(([name, method]) => {
      const run = async () => {
        calls.push(name);
        return { items: [] };
      };
      return [name, { ...method, run } as unknown as AnyMethod];
    }),
  );
  const client: Client = clientOver({ ...createDispatcher({ engine, principal, ...more }, methods), close: async () => {} });
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
  const dispatcher = createDispatcher({ engine: {} as Engine, principal: createOwner('ann@desk') }, methods);
  const turned = { request: Object.fromEntries(Object.entries(request).reverse()) };
  await dispatcher.call('operations.submit', turned);
  expect(arrived).toEqual([JSON.stringify(turned)]);
});

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
    await client.operations.list({});
    const shop = { tenant: '', workspace: 'default', infra: 'shop' };
    expect(asked).toEqual([
      ['operation:apply', { type: 'Infra', id: 'default/shop', ...shop }],
      ['infra:read', { type: 'Infra', id: 'default/shop', ...shop }],
      ['provider:read', { type: 'Provider', id: 'hetzner/prod', tenant: '' }],
      ['operation:read', { type: 'Workspace', id: '*', tenant: '' }],
    ]);
  });

  test.each([
    ['operation:preview', {}, { check: true, intent: { verb: 'delete' } }],
    ['operation:apply', {}, { intent: { verb: 'ensure' } }],
    ['operation:apply', { destroys: true }, { intent: { verb: 'ensure' }, allowDestroy: ['web-1'] }],
    ['operation:delete', { destroys: true }, { intent: { verb: 'delete' } }],
    ['operation:rollback', {}, { intent: { verb: 'rollback', of: 'op' } }],
  ])('is asked for %s %j', async (action, more, fields) => {
    const asked: unknown[] = [];
    const { client } = reached({ actor: 'eve@desk', may: (...one) => asked.push(one) > 0 });
    await client.operations.submit({ request: { ...request, ...(fields as object) } });
    const shop = { type: 'Infra', id: 'default/shop', tenant: '', workspace: 'default', infra: 'shop' };
    const destroys = action === 'operation:preview' ? { destroys: true } : more;
    expect(asked).toEqual([[action, { ...shop, ...destroys }]]);
  });

  test.each([
    ['a deletion', { verb: 'delete' }, true],
    ['an apply that may destroy', { verb: 'apply', allowDestroy: true }, true],
    ['an apply', { verb: 'apply' }, undefined],
  ])('is asked about a batch with %s', async (_, operation, destroys) => {
    const asked: unknown[] = [];
    const { client } = reached({ actor: 'eve@desk', may: (...one) => asked.push(one) > 0 });
    await client.batches.submit({ ...batch, operations: [{ verb: 'ensure' }, operation] } as never);
    const place = { type: 'Workspace', id: 'default', tenant: '', workspace: 'default' };
    expect(asked).toEqual([['batch:submit', { ...place, ...(destroys && { destroys }) }]]);
  });

  test('is judged by the infra of an operation, which is looked up once; one that does not exist has no place', async () => {
    const described: string[] = [];
    const places: unknown[] = [];
    const may: Principal['may'] = (_, { workspace, infra }) => {
      places.push([workspace, infra]);
      return workspace === 'default';
    };
    const { client, calls } = reached({ actor: 'eve@desk', may }, engineWith(described));
    await client.operations.progress({ operation: 'op' });
    await client.operations.pause({ operation: 'op' });
    await client.batches.state({ batch: 'all' });
    const refused = { details: { code: 'unknown-operation' } };
    await expect(client.operations.progress({ operation: 'none' })).rejects.toMatchObject(refused);
    expect(places).toEqual([
      ['default', 'shop'],
      ['default', 'shop'],
      ['default', undefined],
      // For the call, and for whether its caller may know of it.
      [undefined, undefined],
      [undefined, undefined],
    ]);
    expect(described).toEqual(['op', 'all', 'none']);
    expect(calls).toEqual(['operations.progress', 'operations.pause', 'batches.state']);
  });

  test('owns everything is not looked up', async () => {
    const described: string[] = [];
    const { client } = reached(undefined, engineWith(described));
    await client.operations.progress({ operation: 'op' });
    expect(described).toEqual([]);
  });
});

describe('quota and audit', () => {
  const hooks = (refuse?: 'quota' | 'method') => {
    const events: string[] = [];
    const more: Partial<Call> = {
      quota({ action }) {
        events.push(`count ${action}`);
        if (refuse === 'quota') throw new Error('too many');
      },
      async audit({ action, located }) {
        events.push(`asked ${action} ${located.id}`);
        return async (error) => void events.push(error ? `failed ${(error as Error).message}` : 'done');
      },
      async refused({ action, method }, error) {
        events.push(`refused ${action ?? method?.name}: ${(error as Error).message}`);
      },
    };
    return { events, more };
  };

  test('see what is allowed, before it runs and after', async () => {
    const { events, more } = hooks();
    const { client } = reached(undefined, undefined, more);
    await client.operations.pause({ operation: 'op' });
    expect(events).toEqual(['count operation:pause', 'asked operation:pause op', 'done']);
  });

  test('see no call that is forbidden; each refusal is recorded, with what was asked', async () => {
    const { events, more } = hooks('quota');
    await expect(reached(undefined, undefined, more).client.operations.pause({ operation: 'op' })).rejects.toThrow('too many');
    const nobody: Principal = { actor: 'eve@desk', may: () => false };
    await expect(reached(nobody, undefined, more).client.operations.pause({ operation: 'op' })).rejects.toThrow(/may not/);
    await expect(reached(undefined, undefined, more).client.operations.pause({} as never)).rejects.toThrow(/operation/);
    expect(events).toEqual([
      'count operation:pause',
      'refused operation:pause: too many',
      expect.stringMatching(/^refused operation:pause: .*may not do/),
      expect.stringMatching(/^refused operations\.pause: cannot read the request/),
    ]);
  });

  test('an outcome that cannot be recorded hides neither an answer nor an error', async () => {
    const more: Partial<Call> = { audit: async () => () => Promise.reject(new Error('the disk is full')) };
    const { client, calls } = reached(undefined, undefined, more);
    await client.operations.pause({ operation: 'op' });
    expect(calls).toEqual(['operations.pause']);
    const failing = { ...METHODS['operations.pause'], run: () => Promise.reject(new Error('no')) } as unknown as AnyMethod;
    const dispatcher = createDispatcher(
      { engine: engineWith(), principal: createOwner('ann@desk'), ...more },
      { 'operations.pause': failing },
    );
    await expect(dispatcher.call('operations.pause', { operation: 'op' })).rejects.toThrow('no');
  });

  test('record the failure of a method, and the end of a stream that its reader leaves', async () => {
    const { events, more } = hooks();
    const failing = { ...METHODS['operations.pause'], run: () => Promise.reject(new Error('no')) } as unknown as AnyMethod;
    const events100 = {
      ...METHODS['operations.follow'],
      async *run() {
        for (let at = 0; at < 100; at++) yield at;
      },
    } as unknown as AnyMethod;
    const methods = { 'operations.pause': failing, 'operations.follow': events100 };
    const dispatcher = createDispatcher({ engine: engineWith(), principal: createOwner('ann@desk'), ...more }, methods);
    await expect(dispatcher.call('operations.pause', { operation: 'op' })).rejects.toThrow('no');
    for await (const one of dispatcher.stream('operations.follow', { operation: 'op' }, {})) if (one === 3) break;
    expect(events.filter((one) => !one.startsWith('count'))).toEqual([
      'asked operation:pause op',
      'failed no',
      'asked operation:read op',
      'done',
    ]);
  });
});
