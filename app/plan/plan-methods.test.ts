import { WorkflowNotFoundError } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import { clientOver } from '../../client/client.js';
import type { Inventory } from '../../core/infra/inventory.js';
import type { OperationRequest, OperationResult } from '../../core/operation/operation.js';
import { planHash, planLineOf } from '../../core/plan/plan-lines.js';
import type { PlannedStep } from '../../core/plan/planned-step.js';
import { definitionOf } from '../../test/support/definition.js';
import { createDispatcher } from '../dispatch.js';
import type { Engine } from '../engine.js';
import { createOwner, type Principal } from '../principal.js';

const definition = definitionOf({ infra: 'shop', provider: 'hetzner', servers: [{ name: 'web', plan: 'cx23', zone: 'nbg1' }] });
const request = {
  id: 'cluster-ensure-shop-1',
  kind: 'cluster' as const,
  workspace: 'default',
  infra: 'shop',
  intent: { verb: 'ensure' as const, prune: true },
};
const PREVIEW = 'cluster-check-shop-1';
const PLAN: PlannedStep[] = [
  { on: 'network/back', title: 'Create the network back', machine: 'create' },
  { on: 'web', title: 'Create the server web', machine: 'create' },
  { on: 'old', title: 'Delete the server old', machine: 'delete', destructive: true },
  { on: 'web', taskserv: 'redis', title: 'Install the package redis-server', change: 'add' },
];
const HASH = planHash(PLAN.map(planLineOf));
const PRICED = {
  plans: [{ name: 'cx23', cores: 2, memoryMiB: 4096, diskGiB: 40, zones: { nbg1: { currency: 'EUR', hourly: 0.01, monthly: 4 } } }],
};

const ended = (more: Partial<OperationResult> = {}): OperationResult => ({
  operation: PREVIEW,
  kind: 'cluster',
  workspace: 'default',
  infra: 'shop',
  status: 'done',
  steps: { executed: 0, planned: PLAN.length },
  services: [],
  plan: PLAN,
  control: [],
  ...more,
});

/** Creates a platform whose operations have ended as given. An operation with `undefined` still runs. */
function platformOf(operations: Record<string, OperationResult | undefined> = {}, principal: Principal = createOwner('ann@desk')) {
  const started: OperationRequest[] = [];
  const asked: string[] = [];
  const unknown = (id: string) => Promise.reject(new WorkflowNotFoundError('not found', id, undefined));
  const workflow = {
    getHandle: (id: string) => ({
      describe: async () =>
        id in operations ? { type: 'cluster', status: { name: operations[id] ? 'COMPLETED' : 'RUNNING' } } : unknown(id),
      result: async () => (id in operations ? operations[id] : unknown(id)),
      query: async (name: string) => {
        if (name === 'request') return { ...request, definition };
        return { workspace: 'default', infra: 'shop', uuid: 'u', servers: {}, networks: {}, definition } as unknown as Inventory;
      },
    }),
    start: async (_: string, { args }: { args: [OperationRequest] }) => void started.push(args[0]),
    execute: async (name: string, { args }: { args: [{ provider: string }] }) => {
      asked.push(`${name} ${args[0].provider}`);
      return PRICED;
    },
  };
  const engine = { temporal: { workflow }, stores: {}, taskQueue: 'q' } as unknown as Engine;
  const dispatcher = createDispatcher({ engine, principal, checksAnswers: true });
  return { started, asked, client: clientOver({ ...dispatcher, close: async () => {} }) };
}

const failure = (code: string, more: object = {}) => ({ details: { code, blame: 'user', ...more } });

describe('plans.preview', () => {
  test('starts an operation that only decides, under the id that follows from the request, as whoever calls', async () => {
    const { client, started } = platformOf();
    const asked = { ...request, definition, diff: true as const, actor: 'eve@desk' };
    expect(await client.plans.preview({ request: asked })).toEqual({ operation: PREVIEW });
    expect(started).toEqual([{ ...asked, id: PREVIEW, check: true, actor: 'ann@desk' }]);
  });

  test('refuses a definition that is too large, and a bundle that nobody keeps', async () => {
    const { client, started } = platformOf();
    const page = { page: 'x'.repeat(2 ** 21) } as never;
    await expect(client.plans.preview({ request: { ...request, definition: page } })).rejects.toMatchObject(failure('too-large'));
    await expect(client.plans.apply({ request: { ...request, definition: page }, hash: HASH })).rejects.toMatchObject(
      failure('too-large'),
    );
    expect(started).toEqual([]);
  });
});

describe('plans.result', () => {
  test('has the plan with its hash, the steps of each server and what it destroys, and asks nobody for prices', async () => {
    const { client, asked } = platformOf({ [PREVIEW]: ended() });
    expect(await client.plans.result({ operation: PREVIEW })).toEqual({
      result: ended(),
      hash: HASH,
      places: [
        { on: 'network/back', steps: [0] },
        { on: 'web', steps: [1, 3] },
        { on: 'old', steps: [2], destroys: true },
      ],
      destroys: ['old'],
    });
    expect(asked).toEqual([]);
  });

  test('of a preview that failed has no hash, and none can be applied', async () => {
    const error = { step: 'Look at the servers', on: 'web', why: 'no answer' };
    const { client } = platformOf({ [PREVIEW]: ended({ status: 'failed', plan: [], error }) });
    const { hash, result } = await client.plans.result({ operation: PREVIEW, cost: true });
    expect([hash, result.error]).toEqual([undefined, error]);
  });

  test('has the change in cost on request', async () => {
    const { client, asked } = platformOf({ [PREVIEW]: ended({ plan: PLAN.slice(1, 2) }) });
    const { cost } = await client.plans.result({ operation: PREVIEW, cost: true });
    expect(cost).toMatchObject({
      changes: [{ server: 'web', after: { plan: 'cx23', cost: { currency: 'EUR', monthly: 4 } } }],
      difference: [{ currency: 'EUR', monthly: 4 }],
    });
    expect(asked).toEqual(['ask hetzner']);
  });

  test('asks no provider that the caller may not ask', async () => {
    const may: Principal['may'] = (action) => action === 'operation:read';
    const { client, asked } = platformOf({ [PREVIEW]: ended({ plan: PLAN.slice(1, 2) }) }, { actor: 'eve@desk', owner: true, may });
    const { cost } = await client.plans.result({ operation: PREVIEW, cost: true });
    expect(cost).toMatchObject({ changes: [{ server: 'web', after: { unknown: 'eve@desk may not ask hetzner for prices' } }] });
    expect(cost).not.toHaveProperty('difference');
    expect(asked).toEqual([]);
  });

  test('refuses what is no preview, and what does not exist', async () => {
    const { client } = platformOf({ [request.id]: ended({ operation: request.id }) });
    await expect(client.plans.result({ operation: request.id })).rejects.toMatchObject(failure('bad-request'));
    await expect(client.plans.result({ operation: PREVIEW })).rejects.toMatchObject(failure('unknown-operation'));
  });
});

describe('plans.apply', () => {
  test('holds the operation to the plan of its preview, with the lines that tell what changes', async () => {
    const { client, started } = platformOf({ [PREVIEW]: ended() });
    expect(await client.plans.apply({ request, hash: HASH })).toEqual({ operation: request.id });
    expect(started).toEqual([{ ...request, actor: 'ann@desk', planned: { hash: HASH, lines: PLAN.map(planLineOf) } }]);
  });

  test.each<[string, Record<string, OperationResult | undefined>]>([
    ['has no preview', {}],
    ['has a preview that still runs', { [PREVIEW]: undefined }],
    ['has a preview that failed', { [PREVIEW]: ended({ status: 'failed', plan: [] }) }],
    ['has the id of a preview of another infra', { [PREVIEW]: ended({ infra: 'other' }) }],
    ['has the id of a preview of another workspace', { [PREVIEW]: ended({ workspace: 'other' }) }],
  ])('of a request that %s is held to the hash alone', async (_, operations) => {
    const { client, started } = platformOf(operations);
    await client.plans.apply({ request, hash: 'a'.repeat(64) });
    expect(started.map(({ planned }) => planned)).toEqual([{ hash: 'a'.repeat(64) }]);
  });

  test('refuses the hash of another plan than the one of the preview', async () => {
    const { client, started } = platformOf({ [PREVIEW]: ended() });
    await expect(client.plans.apply({ request, hash: 'a'.repeat(64) })).rejects.toMatchObject(
      failure('plan-changed', { on: 'shop', why: expect.stringContaining(HASH.slice(0, 16)) }),
    );
    expect(started).toEqual([]);
  });

  test('takes the lines of a saved plan, and no hash of another one', async () => {
    const { client, started } = platformOf({ [PREVIEW]: ended() });
    const planned = { hash: 'b'.repeat(64), lines: PLAN.slice(0, 1).map(planLineOf) };
    await client.plans.apply({ request: { ...request, planned }, hash: planned.hash });
    expect(started.map((one) => one.planned)).toEqual([planned]);
    await expect(client.plans.apply({ request: { ...request, planned }, hash: HASH })).rejects.toMatchObject(
      failure('bad-request', { what: 'apply the plan' }),
    );
    expect(started).toHaveLength(1);
  });

  test('refuses a preview, and an id that lists would not show', async () => {
    const { client, started } = platformOf();
    await expect(client.plans.apply({ request: { ...request, check: true } as never, hash: HASH })).rejects.toMatchObject(
      failure('bad-request'),
    );
    await expect(client.plans.apply({ request: { ...request, id: PREVIEW }, hash: HASH })).rejects.toMatchObject(
      failure('preview-id'),
    );
    expect(started).toEqual([]);
  });
});

test('permissions are those of operations.submit, for a preview and for what is carried out', async () => {
  const asked: unknown[] = [];
  const may: Principal['may'] = (action, { type, id, destroys }) =>
    action === 'infra:read' || asked.push([action, type, id, destroys]) < 0;
  const { client, started } = platformOf({}, { actor: 'eve@desk', may });
  const requests = [
    request,
    { ...request, allowDestroy: ['old'] },
    { ...request, intent: { verb: 'delete' as const } },
    { ...request, intent: { verb: 'rollback' as const, of: 'op' } },
  ];
  for (const one of requests) {
    await expect(client.plans.preview({ request: one })).rejects.toMatchObject(failure('forbidden'));
    await expect(client.plans.apply({ request: one, hash: HASH })).rejects.toMatchObject(failure('forbidden'));
    await expect(client.operations.submit({ request: one })).rejects.toMatchObject(failure('forbidden'));
    const [preview, apply, submit] = asked.splice(0);
    expect(apply).toEqual(submit);
    expect(preview).toEqual(['operation:preview', ...(submit as unknown[]).slice(1)]);
  }
  expect(started).toEqual([]);
});
