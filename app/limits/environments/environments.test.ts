import { WorkflowNotFoundError } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Bundle } from '../../../core/definition/bundle.js';
import { addressOf } from '../../../core/infra/definition-log.js';
import { translateWorkspace } from '../../../core/tenant-names.js';
import { addressOfFile } from '../../../definition/source/file-address.js';
import { infraEnvironments } from '../../../stores/rows/workspaces/infra-environments.js';
import { type AccessFixture, openFixture } from '../../../test/support/access-fixture.js';
import { demoDefinition } from '../../../test/support/definition.js';
import { failure } from '../../../test/support/secret-client.js';
import { submitBatch } from '../../batch/start.js';
import { putBundle } from '../../bundle/bundle-store.js';
import type { Engine } from '../../engine.js';
import { submitAsked } from '../../operation/asked.js';
import { createOwner } from '../../principal.js';
import { workspaceSummary } from '../../workspaces/transfer/transfer-schemas.js';
import { findEnvironments, readEnvironments, recordSubmission } from './find-environments.js';
import { listUnplaced } from './list-unplaced.js';
import { recordBatch } from './record-batch.js';
import { MOST_ENVIRONMENTS, recordEnvironment } from './record-environment.js';

let fixture: AccessFixture;
beforeEach(async () => {
  fixture = await openFixture();
});
afterEach(() => fixture.remove());

/** A whole number as the API of Temporal has it. */
const ONE = msToTs(1_000).seconds;
const SHOP = { workspace: 'default', infra: 'shop' };
const rows = () => fixture.stores.rows();
const present = async () => readEnvironments(await rows(), SHOP);
/** Later than an operation that was submitted before may still be unseen. */
const LATER = Date.now() + 120_000;

async function keepBundle(environment?: string): Promise<string> {
  const address = addressOfFile('default', 'infra: shop\n');
  const files = [{ path: 'shop.yaml', address, size: 12 }];
  const named = environment === undefined ? {} : { environment };
  const bundle: Bundle = { ...SHOP, definition: 'a'.repeat(64), main: 'shop.yaml', ...named, files };
  return (await putBundle(fixture.stores.blobs, bundle, { [address]: 'infra: shop\n' })).bundle as string;
}

interface World {
  /** Operations of the definition in force, oldest first. */
  by?: string[];
  requests?: Record<string, { bundle?: string; environment?: string } | Error>;
  open?: number;
  /** Open batches of the workspace `default`. */
  batches?: number;
  /** All infras, by workspace. */
  infras?: [string, string][];
  /** Infras that have nothing left. */
  deleted?: string[];
  /** Infras of those on which an operation works. */
  worked?: string[];
}

/** Temporal with the entity of an infra, requests of its operations, and open operations. */
function engineWith({ by = [], requests = {}, open = 0, batches = 0, infras = [], deleted = [], worked = [] }: World): Engine {
  const query = (id: string) => async (name: string) => {
    const infra = id.split('/').at(-1) ?? '';
    if (name === 'inventory') return { servers: deleted.includes(infra) ? {} : { web: {} }, networks: {} };
    if (name === 'locks') return { holders: worked.includes(infra) ? [{}] : [], waiters: [] };
    if (id.startsWith('infra/')) return by.length === 0 ? [] : [{ inForce: true, operation: by[0], by }];
    const found = requests[id] ?? new WorkflowNotFoundError('no such workflow', id, undefined);
    if (found instanceof Error) throw found;
    return found;
  };
  const listed = (length: number, name: string) =>
    Array.from({ length }, (_, index) => ({ execution: { workflowId: `${name}-${index}`, runId: 'r' }, type: { name } }));
  const isBatches = (query: string) => query.includes("ProvisioningKind = 'batch'") && query.includes("= 'default'");
  const attribute = (text: string) => ({
    data: Buffer.from(JSON.stringify(text)),
    metadata: { encoding: Buffer.from('json/plain') },
  });
  const entities = infras.map(([workspace, infra]) => ({
    ...{ execution: { workflowId: `infra/${workspace}/${infra}`, runId: 'r' }, type: { name: 'infra' } },
    ...{ historyLength: ONE, startTime: { seconds: ONE, nanos: 0 } },
    searchAttributes: { indexedFields: { ProvisioningWorkspace: attribute(workspace), ProvisioningInfra: attribute(infra) } },
  }));
  const list = async ({ query: asked }: { query: string }) => ({
    executions: asked.includes("ProvisioningKind = 'infra'")
      ? entities
      : isBatches(asked)
        ? listed(batches, 'batch')
        : listed(asked.includes("'shop") ? open : 0, 'cluster'),
    nextPageToken: [],
  });
  const temporal = {
    options: { namespace: 'n', loadedDataConverter: { payloadCodecs: [] } },
    workflow: { getHandle: (id: string) => ({ query: query(id) }) },
    workflowService: { listWorkflowExecutions: list },
    withDeadline: (_: number, work: () => unknown) => work(),
  };
  return { temporal, stores: fixture.stores } as unknown as Engine;
}

test('submissions that fail, however many and of whichever environments, take no infra out of its environment', async () => {
  const engine = engineWith({ by: ['a'], requests: { a: { bundle: await keepBundle('prod') } } });
  for (const environment of ['prod', 'dev', 'dev', 'staging', undefined, 'dev']) {
    await recordSubmission(engine, await rows(), SHOP, environment);
    expect(await present()).toContain('prod');
  }
  expect(await present()).toEqual(['dev', 'staging', 'prod']);
});

test.each<[string, World, string[]]>([
  ['in force: the others count no more', { by: ['a', 'b'] }, ['dev']],
  ['in force, before a roll-back that has no files', { by: ['b', 'back'] }, ['dev']],
  ['in force while an operation is open, which may apply another one', { by: ['b'], open: 1 }, ['dev', 'prod']],
  ['in force while a batch is open, which may apply another one', { by: ['b'], batches: 1 }, ['dev', 'prod']],
  ['not in force', { by: ['b', 'a'] }, ['dev', 'prod']],
  ['in force by an operation that Temporal has forgotten', { by: ['old'] }, ['dev', 'prod']],
  ['in force by an operation that does not answer', { by: ['mute'] }, ['dev', 'prod']],
])('an environment is %s', async (_, world, expected) => {
  const requests = {
    a: { bundle: await keepBundle('prod') },
    b: { bundle: await keepBundle('dev') },
    back: {},
    mute: new Error('deadline exceeded'),
  };
  // A row of a former release.
  await (await rows()).table(infraEnvironments).put({ tenant: '', ...SHOP, environment: 'dev', former: 'prod' });
  await recordSubmission(engineWith({ ...world, requests }), await rows(), SHOP, 'dev');
  expect(await present()).toEqual(expected);
});

test('an infra has as many environments as an export lists, and none more', async () => {
  const record = async (environment?: string) => recordEnvironment(await rows(), SHOP, environment);
  for (let number = 0; number < MOST_ENVIRONMENTS; number++) await record(`env-${number}`);
  const { infras } = workspaceSummary.shape;
  const exported = [{ infra: 'shop', uuid: 'u', servers: 0, networks: 0, environments: await present() }];
  expect(infras.safeParse(exported).success).toBe(true);
  await expect(record('another')).rejects.toMatchObject(failure('too-large'));
  await record();
  await record('env-0');
  expect(await present()).toHaveLength(MOST_ENVIRONMENTS);
  expect((await present())?.[0]).toBe('env-0');
});

test('an operation that was submitted a moment ago may be unseen: the others still count', async () => {
  const isSettled = async () => true;
  await recordEnvironment(await rows(), SHOP, 'prod');
  await recordEnvironment(await rows(), SHOP, 'dev');
  await recordEnvironment(await rows(), SHOP, 'dev', isSettled);
  expect(await present()).toEqual(['dev', 'prod']);
  await recordEnvironment(await rows(), SHOP, 'dev', isSettled, LATER);
  expect(await present()).toEqual(['dev']);
});

test('an infra whose operation does not answer is in an unknown environment, and not in none', async () => {
  const mute = engineWith({ by: ['a'], requests: { a: new Error('deadline exceeded') } });
  const silent = failure('engine-not-answering');
  await expect(findEnvironments(mute, await rows(), SHOP)).rejects.toMatchObject(silent);
  await expect(recordSubmission(mute, await rows(), SHOP, 'dev')).rejects.toMatchObject(silent);
  expect(await present()).toBeUndefined();
  const forgotten = engineWith({ by: ['a'] });
  expect(await findEnvironments(forgotten, await rows(), SHOP)).toEqual([]);
});

test('the environment of what a former release applied still counts after the first submission of another one', async () => {
  const engine = engineWith({ by: ['a'], requests: { a: { bundle: await keepBundle('prod') } } });
  await recordSubmission(engine, await rows(), SHOP, 'dev');
  expect(await present()).toEqual(['dev', 'prod']);
});

test('a request names the environment if no files do', async () => {
  const engine = engineWith({ by: ['a'], requests: { a: { environment: 'prod' } } });
  expect(await findEnvironments(engine, await rows(), SHOP)).toEqual(['prod']);
  const moved = engineWith({ by: ['a', 'b'], requests: { a: { environment: 'prod' }, b: { environment: 'dev' } } });
  await (await rows()).table(infraEnvironments).put({ tenant: '', ...SHOP, environment: 'dev', former: 'prod' });
  await recordSubmission(moved, await rows(), SHOP, 'dev');
  expect(await present()).toEqual(['dev']);
});

test('a batch records the environments of its definitions before it starts', async () => {
  const engine = engineWith({});
  const named = ['prod', undefined, 'prod', 'dev'].map((environment, at) => ({
    ...{ infra: `shop-${at % 3}`, name: `op-${at}` },
    ...(environment !== undefined && { environment }),
  }));
  await recordBatch(engine, { workspace: 'default', operations: named as never });
  const found = (at: number) => rows().then((open) => readEnvironments(open, { ...SHOP, infra: `shop-${at}` }));
  expect([await found(0), await found(1), await found(2)]).toEqual([['dev', 'prod'], undefined, ['prod']]);
});

test('a batch that is refused for its content records nothing', async () => {
  const operation = { name: 'a', kind: 'cluster', verb: 'ensure', infra: 'shop', stage: 0, accounts: [], environment: 'prod' };
  const batch = { id: 'b', name: 'all', workspace: 'default', actor: 'ann@desk', parallel: 1, accounts: {}, priority: 3 };
  const send = (wrong: object, more: object = {}) =>
    submitBatch(engineWith({}), {
      ...{ ...batch, onFailure: 'keep', definitions: {} },
      ...{ operations: [{ ...operation, ...wrong }], ...more },
    } as never);
  const refused = failure('bad-request');
  await expect(send({ verb: 'no-verb' })).rejects.toMatchObject(refused);
  await expect(send({}, { parallel: 0 })).rejects.toMatchObject(refused);
  expect(await present()).toBeUndefined();
  // The engine of this test starts nothing.
  await expect(send({})).rejects.toMatchObject(failure('engine-not-answering'));
  expect(await present()).toEqual(['prod']);
});

test('a freeze of an environment names the infras of its place that are in no known environment', async () => {
  const tenant = 'abcd1234';
  const theirs = translateWorkspace(tenant, 'web');
  const infras: [string, string][] = [...['shop', 'old', 'bare'].map((one): [string, string] => ['default', one]), [theirs, 'own']];
  await recordEnvironment(await rows(), SHOP, 'dev');
  const list = async (place: { tenant: string; workspace: string; infra: string }, world: World = {}) =>
    listUnplaced(engineWith({ infras, ...world }), await rows(), place);
  const prod = { tenant: '', workspace: 'default', infra: '@prod' };
  expect(await list(prod)).toEqual(['default/bare', 'default/old']);
  expect(await list({ ...prod, workspace: '*' })).toEqual(['default/bare', 'default/old', `${theirs}/own`]);
  expect(await list({ tenant, workspace: '*', infra: '@prod' })).toEqual(['web/own']);
  expect(await list({ ...prod, infra: '*' })).toBeUndefined();
  const mute = { by: ['a'], requests: { a: new Error('deadline exceeded') } };
  expect(await list(prod, mute)).toEqual(['default/bare', 'default/old']);
  // Temporal lists the entity of a deleted one for a moment longer.
  expect(await list(prod, { deleted: ['old', 'bare'], worked: ['bare'] })).toEqual(['default/bare']);
  expect(await list(prod, { by: ['a'], requests: { a: { environment: 'dev' } } })).toEqual([]);
});

test('a request that says another environment than its files is refused', async () => {
  const definition = demoDefinition('shop', { servers: [{ name: 'web', plan: 'small' }] });
  const address = addressOfFile('default', 'infra: shop\n');
  const files = [{ path: 'shop.yaml', address, size: 12 }];
  const source = { ...SHOP, definition: addressOf(definition), main: 'shop.yaml', environment: 'prod', files };
  const { bundle } = await putBundle(fixture.stores.blobs, source, { [address]: 'infra: shop\n' });
  const request = { id: 'op', kind: 'cluster', ...SHOP, intent: { verb: 'ensure' }, definition, bundle, environment: 'dev' };
  const call = { engine: engineWith({}), principal: createOwner('ann@desk') };
  await expect(submitAsked(call, request as never)).rejects.toMatchObject(failure('bad-bundle'));
  expect(await present()).toBeUndefined();
});

test('a submission is refused while the environment of its infra cannot be found', async () => {
  const mute = engineWith({ by: ['a'], requests: { a: new Error('deadline exceeded') } });
  const definition = demoDefinition('shop', { servers: [{ name: 'web', plan: 'small' }] });
  const address = addressOfFile('default', 'infra: shop\n');
  const files = [{ path: 'shop.yaml', address, size: 12 }];
  const source = { ...SHOP, definition: addressOf(definition), main: 'shop.yaml', environment: 'dev', files };
  const { bundle } = await putBundle(fixture.stores.blobs, source, { [address]: 'infra: shop\n' });
  const request = { id: 'op', kind: 'cluster', ...SHOP, intent: { verb: 'ensure' }, definition, bundle };
  const call = { engine: mute, principal: createOwner('ann@desk') };
  await expect(submitAsked(call, request as never)).rejects.toMatchObject(failure('engine-not-answering'));
  expect(await present()).toBeUndefined();
});

test('an operation that shall wait for a worker is refused with a remedy if it names an environment', async () => {
  const mute = engineWith({ by: ['a'], requests: { a: new Error('deadline exceeded') } });
  const definition = demoDefinition('shop', { servers: [{ name: 'web', plan: 'small' }] });
  const request = { id: 'op', kind: 'cluster', ...SHOP, intent: { verb: 'ensure' }, definition, environment: 'prod' };
  const submit = (queue: boolean) => submitAsked({ engine: mute, principal: createOwner('ann@desk') }, request as never, { queue });
  const refusal = (hint: string) => ({ details: { code: 'engine-not-answering', hint } });
  await expect(submit(true)).rejects.toMatchObject(refusal('omit --env, or start a worker'));
  await expect(submit(false)).rejects.toMatchObject(refusal('provisioning status'));
  expect(await present()).toBeUndefined();
});
