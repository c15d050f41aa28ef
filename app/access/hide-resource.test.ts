import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { kindOf } from '../../core/error-kinds.js';
import { ProvisioningError } from '../../core/errors.js';
import { type AccessFixture, openFixture } from '../../test/support/access-fixture.js';
import { createDispatcher } from '../dispatch.js';
import type { Engine } from '../engine.js';
import type { AnyMethod, Passage } from '../method.js';
import { METHODS } from '../methods.generated.js';
import type { Principal, Resource } from '../principal.js';
import { authenticate } from './authenticate.js';

let fixture: AccessFixture;
let viewer: Principal;
/** The token of an account that the viewer does not see. */
let foreign: string;
beforeAll(async () => {
  fixture = await openFixture();
  const client = fixture.as();
  for (const account of ['mine/ci', 'theirs/ci']) await client.serviceAccounts.create({ account });
  await client.serviceAccounts.bind({ account: 'mine/ci', role: 'viewer', workspace: 'mine' });
  foreign = (await client.tokens.create({ account: 'theirs/ci' })).id;
  viewer = (await authenticate(fixture.stores, (await client.tokens.create({ account: 'mine/ci' })).token)) as Principal;
});
afterAll(() => fixture.remove());

/** Creates an engine with one workflow of each workspace, which records its calls. */
function engineWith(described: string[] = []): Engine {
  const keyword = (text: string) => ({ data: Buffer.from(JSON.stringify([text])) });
  const describeWorkflowExecution = async ({ execution: { workflowId } }: { execution: { workflowId: string } }) => {
    described.push(workflowId);
    if (!/^(mine|theirs)$/.test(workflowId)) throw Object.assign(new Error('no'), { code: 5, details: '', metadata: {} });
    return { workflowExecutionInfo: { searchAttributes: { indexedFields: { ProvisioningWorkspace: keyword(workflowId) } } } };
  };
  const temporal = { workflowService: { describeWorkflowExecution }, options: { namespace: 'n' } };
  return { temporal, stores: fixture.stores } as unknown as Engine;
}

/** Returns the answer to a principal that calls a method on a resource. The method itself never runs. */
async function answer(
  method: AnyMethod,
  resource: Resource,
  { principal = viewer, engine = engineWith(), action }: { principal?: Principal; engine?: Engine; action?: string } = {},
) {
  const permission = { action: action ?? 'never:done', resource: () => resource };
  const reached = { ...method, kind: 'call', input: z.unknown(), permission, weigh: () => {}, run: async () => 'reached' };
  const recorded: unknown[] = [];
  const refused = async (_: Partial<Passage>, error: unknown) => void recorded.push((error as ProvisioningError).details.code);
  const dispatcher = createDispatcher({ engine, principal, refused }, { [method.name]: reached as unknown as AnyMethod });
  const error: unknown = await dispatcher.call(method.name, {}).catch((thrown: unknown) => thrown);
  if (!(error instanceof ProvisioningError)) return { answer: error, recorded };
  // A door shows its details. Nothing else comes with it.
  expect([error.cause, Object.keys(error)]).toEqual([undefined, ['name', 'details']]);
  return { error: error.details, kind: kindOf(error.details), recorded };
}

/** Replaces an id everywhere in an answer: the rest must be equal. */
const without = (id: string, answered: unknown) => JSON.parse(JSON.stringify(answered).replaceAll(id, 'ID')) as unknown;

/** The resource of a method that answers any input, for its type. */
function typeOf(method: AnyMethod): Resource['type'] {
  const any: unknown = new Proxy(() => {}, {
    get: (_, key) => (key === Symbol.toPrimitive ? () => 'x' : key === 'some' ? () => false : key === 'split' ? () => ['x'] : any),
  });
  return method.permission.resource(any as never).type;
}

/** A resource of a workspace that the viewer has no role in, and one that does not exist. */
const pairs = (type: Resource['type']): { there: string; missing: string } => {
  if (type === 'Operation' || type === 'Batch') return { there: 'theirs', missing: 'none' };
  if (type === 'Token') return { there: foreign, missing: '0000000000000000' };
  if (type === 'Workspace' || type === 'Environment') return { there: 'theirs', missing: 'none' };
  if (type === 'User') return { there: 'theirs/ci', missing: 'theirs/none' };
  return { there: 'theirs/shop', missing: 'theirs/none' };
};

describe.each(Object.values<AnyMethod>(METHODS).map((method) => [method.name, method] as const))('%s', (_, method) => {
  test('answers about a resource of others as about one that does not exist', async () => {
    const type = typeOf(method);
    const { there, missing } = pairs(type);
    for (const principal of [viewer, { actor: 'eve', may: () => false }]) {
      const [one, other] = await Promise.all([there, missing].map((id) => answer(method, { type, id }, { principal })));
      expect(without(there, one)).toEqual(without(missing, other));
      expect(one).toMatchObject({ recorded: ['forbidden'], kind: expect.stringMatching(/^(not-found|forbidden)$/) });
    }
  });
});

describe('a caller', () => {
  const pause = METHODS['operations.pause'] as AnyMethod;
  const ask = (id: string, more = {}) => answer(pause, { type: 'Operation', id }, { action: 'operation:pause', ...more });

  test('who may read a resource is told that something else is forbidden', async () => {
    expect((await ask('mine')).error).toMatchObject({
      code: 'forbidden',
      why: 'service-account:mine/ci may not do "operation:pause"',
    });
  });

  test('who may not read it is told that it is unknown, and not by whom it was refused', async () => {
    const { error, kind } = await ask('theirs');
    expect(kind).toBe('not-found');
    expect(error).toEqual({
      ...{ code: 'unknown-operation', blame: 'user', what: 'call operations.pause', on: 'Operation theirs' },
      why: 'it does not exist, or you may not read it',
    });
  });

  test('without rights is told that the platform and its lists are forbidden: that they exist is no secret', async () => {
    for (const resource of [
      { type: 'Tenant', id: '*' },
      { type: 'Audit', id: '*' },
      { type: 'Setting', id: 'output.rows' },
      { type: 'Workspace', id: '*' },
    ] as const)
      expect((await answer(pause, resource)).error).toMatchObject({ code: 'forbidden' });
  });

  test('has an operation of others looked up as often as one that does not exist, also if its place is in memory', async () => {
    const described: string[] = [];
    const engine = engineWith(described);
    const counts: number[] = [];
    for (const id of ['theirs', 'none', 'theirs', 'none', 'theirs']) {
      const before = described.length;
      await ask(id, { engine });
      counts.push(described.length - before);
    }
    expect(counts).toEqual([1, 1, 1, 1, 1]);
  });
});
