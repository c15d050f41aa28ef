import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inputError, ProvisioningError } from '../../core/errors.js';
import { markId, translateWorkspace } from '../../core/tenant-names.js';
import { type AccessFixture, openFixture } from '../../test/support/access-fixture.js';
import { fillSchema } from '../../test/support/fill-schema.js';
import { authenticate } from '../access/authenticate.js';
import { createDispatcher } from '../dispatch.js';
import type { Engine } from '../engine.js';
import type { AnyMethod } from '../method.js';
import { METHODS } from '../methods.generated.js';
import type { Principal, Resource } from '../principal.js';
import { METHODS_FOR_TENANTS } from './methods-for-tenants.js';
import { findNameFields, listPaths } from './name-fields.js';

let fixture: AccessFixture;
/** Administrators of all workspaces in their tenants, and of the home. */
let callers: Record<'acme' | 'brown' | 'home', Principal>;
let ids: { acme: string; brown: string };
/** A token of an acme account. */
let token: string;

beforeAll(async () => {
  fixture = await openFixture();
  const owner = fixture.as();
  const admin = async (tenant?: string) => {
    const asked = { account: 'admin', ...(tenant !== undefined && { tenant }) };
    await owner.serviceAccounts.create(asked);
    await owner.serviceAccounts.bind({ ...asked, role: 'admin', workspace: '*' });
    return (await authenticate(fixture.stores, (await owner.tokens.create(asked)).token)) as Principal;
  };
  const [acme, brown] = [await owner.tenants.create({ tenant: 'acme' }), await owner.tenants.create({ tenant: 'brown' })];
  ids = { acme: acme.id, brown: brown.id };
  callers = { acme: await admin('acme'), brown: await admin('brown'), home: await admin() };
  await owner.serviceAccounts.create({ account: NAMES.account, tenant: 'acme' });
  token = (await owner.tokens.create({ account: NAMES.account, tenant: 'acme' })).id;
});
afterAll(() => fixture.remove());

const NAMES = { workspace: 'default', infra: 'shop', operation: 'cluster-ensure-shop-1', account: 'builder', name: 'secret-key' };
/** Others of the same length, which do not exist. */
const MISSING = { workspace: 'missing', infra: 'none', operation: 'cluster-ensure-none-1', account: 'nobody1', name: 'secret-nil' };

function inputOf({ name, input }: AnyMethod, names: typeof NAMES, of = token): Record<string, unknown> {
  const { operation } = names;
  const texts = { ...names, server: 'web', batch: operation, as: 'new', id: 'new', token: of };
  const filled = fillSchema(input, texts) as Record<string, unknown>;
  // These optional fields are refused to tenants, which another test covers.
  for (const key of ['tenant', 'shared', 'bundle']) if (METHODS_FOR_TENANTS.has(name)) delete filled[key];
  return { ...filled, ...(name === 'infras.status' && { clouds: false }) };
}

/** Returns whether acme has a resource, by its name inside the platform. */
function isThere({ type, id, accounts }: Resource, { tenant = '' }: Principal): boolean {
  const inside = translateWorkspace(ids.acme, NAMES.workspace);
  // The caller itself.
  if (type === 'User' && id === '') return true;
  if (accounts) return tenant === ids.acme && [NAMES.account, NAMES.workspace, '*'].includes(id);
  if (type === 'Token') return id === token;
  if (type === 'Operation' || type === 'Batch') return id === markId(ids.acme, NAMES.operation);
  return id === '*' || [inside, `${inside}/${NAMES.infra}`].some((there) => id === there || id.startsWith(`${there}/`));
}

/** Returns the answer to a caller. The method finds only resources of acme, and reports any other as unknown. */
async function answer(method: AnyMethod, principal: Principal, input: unknown) {
  const describeWorkflowExecution = async ({ execution: { workflowId } }: { execution: { workflowId: string } }) => {
    if (workflowId !== markId(ids.acme, NAMES.operation))
      throw Object.assign(new Error('no'), { code: 5, details: '', metadata: {} });
    const data = Buffer.from(JSON.stringify([translateWorkspace(ids.acme, NAMES.workspace)]));
    return { workflowExecutionInfo: { searchAttributes: { indexedFields: { ProvisioningWorkspace: { data } } } } };
  };
  const temporal = { workflowService: { describeWorkflowExecution }, options: { namespace: 'n' } };
  const engine = { temporal, stores: fixture.stores } as unknown as Engine;
  async function run(_: unknown, asked: never) {
    const named = method.permission.resource(asked);
    if (isThere(named, principal)) return { reached: named.id };
    throw inputError({ code: 'unknown-thing', what: 'find it', on: named.id, why: `nothing is called ${named.id}` });
  }
  const reached = { ...method, kind: 'call', run } as unknown as AnyMethod;
  const dispatcher = createDispatcher({ engine, principal }, { [method.name]: reached });
  const outcome: unknown = await dispatcher.call(method.name, input).catch((error: unknown) => error);
  const text = JSON.stringify(outcome instanceof ProvisioningError ? outcome.details : outcome);
  if (outcome instanceof Error && !(outcome instanceof ProvisioningError)) throw outcome;
  return text;
}

/** Replaces the names of the call: the rest must be equal. */
function without(names: typeof NAMES, text: string): string {
  return Object.entries(names).reduce((left, [key, name]) => left.replaceAll(name, key.toUpperCase()), text);
}

const all = Object.values<AnyMethod>(METHODS);

describe.each(all.map((method) => [method.name, method] as const))('%s', (name, method) => {
  test('finds what is the tenant’s own, or is refused as nothing for tenants', async () => {
    const said = await answer(method, callers.acme, inputOf(method, NAMES));
    if (METHODS_FOR_TENANTS.has(name)) expect(said).toContain('"reached"');
    else expect(said).toMatch(/"code":"not-for-tenants"/);
    expect(said).not.toContain('tenant--');
  });

  test('says to a stranger the same of what is another tenant’s and of what does not exist', async () => {
    const [there, missing] = [inputOf(method, NAMES), inputOf(method, MISSING, '0000000000000000')];
    const [one, other] = [await answer(method, callers.brown, there), await answer(method, callers.brown, missing)];
    expect(without({ ...NAMES, token } as never, one)).toBe(without({ ...MISSING, token: '0000000000000000' } as never, other));
    expect(one).not.toContain('tenant--');
    // A list of all workspaces includes only the caller's own; tests of lists check its content.
    const { id } = method.permission.resource(there as never);
    if (id !== '*' && id !== '') expect(one).not.toContain('"reached"');
  });

  test('says no more to who knows the names inside the platform, nor to an administrator of the home', async () => {
    const inside = (names: typeof NAMES) => ({
      ...names,
      workspace: translateWorkspace(ids.acme, names.workspace),
      operation: markId(ids.acme, names.operation),
    });
    for (const principal of [callers.brown, callers.home]) {
      const named = [inputOf(method, inside(NAMES)), inputOf(method, inside(MISSING), '0000000000000000')];
      const [one = '', other = ''] = await Promise.all(named.map((input) => answer(method, principal, input)));
      const resource = method.permission.resource(named[0] as never);
      // An administrator of the home manages accounts in all tenants, by the name of the tenant.
      if (resource.accounts || resource.type === 'Token') continue;
      const shown = (names: typeof NAMES) => [inside(names), names];
      const strip = (names: typeof NAMES, text: string) => shown(names).reduce((left, each) => without(each, left), text);
      expect(strip(NAMES, one)).toBe(strip(MISSING, other));
      const isShared =
        resource.id === '*' || !listPaths(method.input).some((path) => path.at(-1) === 'workspace' || path[0] === 'operation');
      if (!isShared) expect(one).not.toContain('"reached"');
    }
  });
});

test('every field of an input that may name a workspace, an operation or a batch is translated, or is listed here', () => {
  const NAMING = /^(workspace|workspaces|operation|operations|batch|as|of|id)$/;
  const left = all
    .filter(({ name }) => METHODS_FOR_TENANTS.has(name))
    .flatMap((method) => {
      const known = new Set(findNameFields(method).map(({ path }) => path.join('.')));
      const paths = listPaths(method.input).map((path) => path.join('.'));
      return paths.filter((path) => NAMING.test(path.split('.').at(-1) ?? '') && !known.has(path));
    });
  const kinds = new Set(left.map((path) => path.split('.').slice(-2).join('.')));
  // Names in an output; operations of a batch, which have no ids yet; work with a translated id; a number of hosts.
  expect([...kinds].sort()).toEqual(['*.of', 'operations', 'request.batch', 'update.batch']);
});

test('what is for tenants is a method', () => {
  expect([...METHODS_FOR_TENANTS].filter((name) => !(name in METHODS))).toEqual([]);
});
