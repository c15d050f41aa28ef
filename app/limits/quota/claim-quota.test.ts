import { afterEach, beforeEach, expect, test } from 'vitest';
import { inputError } from '../../../core/errors.js';
import { claimsOfQuotas, type Quota, quotas } from '../../../stores/rows/quotas.js';
import { type AccessFixture, openFixture } from '../../../test/support/access-fixture.js';
import { failure } from '../../../test/support/secret-client.js';
import { createDispatcher } from '../../dispatch.js';
import type { Engine } from '../../engine.js';
import type { AnyMethod } from '../../method.js';
import { METHODS } from '../../methods.generated.js';
import { createOwner } from '../../principal.js';
import { claimQuotas, type QuotaTools } from './claim-quota.js';
import { findEnded } from './find-ended.js';

let fixture: AccessFixture;
let ended: Set<string>;
let infras: Record<string, string[]>;
beforeEach(async () => {
  fixture = await openFixture();
  ended = new Set();
  infras = {};
});
afterEach(() => fixture.remove());

const rows = () => fixture.stores.rows();
const server = (name: string) => ({ name, provider: 'demo', plan: { name: 'small' }, volumes: [] }) as never;

const tools: QuotaTools = {
  ended: async (_, claims) => new Set(claims.map(({ id }) => id).filter((id) => ended.has(id))),
  reader: () => ({
    infras: async (workspace) => Object.keys(infras).map((infra) => ({ workspace, infra })),
    inventory: async ({ infra }) => ({
      servers: Object.fromEntries((infras[infra] ?? []).map((name) => [name, { name, spec: server(name) }])) as never,
    }),
    prices: async () => (one) => ({
      ...{ server: one.name, provider: 'demo', plan: 'small' },
      cost: { currency: 'EUR', hourly: 0.01, monthly: 10 },
      parts: [],
    }),
  }),
};

const set = async (limits: Partial<Quota>) =>
  (await rows()).table(quotas).put({ tenant: '', workspace: 'default', setAt: '2026-11-29T10:00:00Z', setBy: 'ann', ...limits });
const claimed = async (workspace = 'default') =>
  (await (await rows()).table(claimsOfQuotas).get({ tenant: '', workspace }))?.row.claims.map(({ id }) => id) ?? [];

/** Creates a door of the platform whose operations start, or fail as the test requires. */
function door(run: (request: { id?: string }, seed?: string) => unknown = () => {}) {
  const method = METHODS['operations.submit'];
  const submit = {
    ...method,
    run: async (_: unknown, { request }: { request: { id?: string } }, { seed }: { seed?: string }) => run(request, seed),
  } as unknown as AnyMethod;
  const methods = { 'operations.submit': submit };
  return createDispatcher({ engine: {} as Engine, principal: createOwner('ann@desk'), quota: claimQuotas(rows, tools) }, methods);
}

const request = (id: string | undefined) => ({
  ...(id !== undefined && { id }),
  ...{ kind: 'cluster', workspace: 'default', infra: 'shop', intent: { verb: 'ensure' } },
});
const submit = (asked: ReturnType<typeof request>, on = door()) => on.call('operations.submit', { request: asked });

test('of fifty calls that race for a quota of ten, ten begin', async () => {
  await set({ operations: 10 });
  let begun = 0;
  const doors = [door(() => void begun++), door(() => void begun++)];
  const all = await Promise.allSettled(Array.from({ length: 50 }, (_, at) => submit(request(`op-${at}`), doors[at % 2])));
  for (const one of all) if (one.status === 'rejected') expect(one.reason).toMatchObject(failure('quota-exceeded'));
  expect([begun, all.filter(({ status }) => status === 'fulfilled').length, (await claimed()).length]).toEqual([10, 10, 10]);
});

test('a claim is released when its operation has ended, whoever was to say so', async () => {
  await set({ operations: 1 });
  await submit(request('a'));
  await expect(submit(request('b'))).rejects.toMatchObject(failure('quota-exceeded'));
  ended.add('a');
  await submit(request('b'));
  expect(await claimed()).toEqual(['b']);
});

test('a call that fails gives its claim back, and one that is repeated has the same', async () => {
  await set({ operations: 1 });
  const fails = door(() => {
    throw inputError({ code: 'bad-bundle', what: 'submit', why: 'it fails' });
  });
  await expect(submit(request('a'), fails)).rejects.toMatchObject(failure('bad-bundle'));
  expect(await claimed()).toEqual([]);
  await submit(request('a'));
  const exists = door(() => {
    throw inputError({ code: 'operation-exists', what: 'submit', why: 'this id was used before' });
  });
  await expect(submit(request('a'), exists)).rejects.toMatchObject(failure('operation-exists'));
  expect(await claimed()).toEqual(['a']);
});

test('the claim of a request without an id is that of the operation that begins', async () => {
  await set({ operations: 1 });
  let seed: string | undefined;
  await submit(
    request(undefined),
    door((_, given) => {
      seed = given;
    }),
  );
  expect(await claimed()).toEqual([`cluster-ensure-shop-k${seed?.slice(0, 24)}`]);
});

test('a preview takes nothing, and neither does a workspace without a quota', async () => {
  await set({ operations: 0 });
  const { call } = door();
  await call('operations.submit', { request: { ...request('p'), check: true } });
  await call('operations.submit', { request: { ...request('o'), workspace: 'other' } });
  await expect(submit(request('a'))).rejects.toMatchObject(failure('quota-exceeded'));
});

test('the quota of all workspaces counts for each, and a refusal there gives back what the workspace gave', async () => {
  await set({ operations: 5 });
  await set({ workspace: '*', operations: 1 });
  await submit(request('a'));
  await expect(submit(request('b'))).rejects.toMatchObject(failure('quota-exceeded'));
  expect([await claimed(), await claimed('*')]).toEqual([['a'], ['a']]);
});

test('work that is not there is not released at once: it may be about to begin', async () => {
  const at = '2026-11-29T10:00:00Z';
  const claims = ['gone', 'runs', 'done'].map((id) => ({ id, at, weight: 1, infras: [] }));
  const statuses: Record<string, number> = { runs: 1, done: 2 };
  const temporal = {
    options: { namespace: 'n' },
    workflowService: {
      describeWorkflowExecution: async ({ execution: { workflowId: id } }: { execution: { workflowId: string } }) => {
        if (!(id in statuses)) throw Object.assign(new Error('not found'), { code: 5, details: '', metadata: {} });
        return { workflowExecutionInfo: { status: statuses[id] } };
      },
    },
  } as never;
  expect([...(await findEnded(temporal, claims, Date.parse(at) + 1_000))]).toEqual(['done']);
  expect([...(await findEnded(temporal, claims, Date.parse(at) + 120_000))].sort()).toEqual(['done', 'gone']);
});
