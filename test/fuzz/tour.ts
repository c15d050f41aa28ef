import { join } from 'node:path';
import type { Client } from '../../client/client.js';
import { ProvisioningError } from '../../core/errors.js';
import { addressOfFile } from '../../definition/source/file-address.js';
import { batchOf, farm, server } from '../support/batches.js';
import { demoDefinition } from '../support/definition.js';
import type { TestEngine } from '../support/engine.js';
import { requestOf } from '../support/operations.js';
import { INFRA as HOSTS, visitHosts } from './tour-of-hosts.js';
import { visitShares } from './tour-of-shares.js';
import { type Go, visitStates } from './tour-of-states.js';

const WORKSPACE = 'default';
const INFRA = 'tour';
/** Infra of a host with a group; `sweep` removes the hosts. */
export const SHARES = `${HOSTS}-crew`;
const PLACE = { workspace: WORKSPACE, infra: INFRA };
const HOUR_MS = 3_600_000;
/** How long vendors and hosts may take, in milliseconds. */
const WITHIN_MS = 5_000;

/**
 * Calls each method that takes an input of a thing that exists, once, with an input that is right, in the order of a life:
 * things are made, read, changed and removed. A random request seldom finds a thing.
 *
 * @param client over HTTP, as an admin of all workspaces
 * @param place `folder` is of the server's machine, for a workspace and releases; `hosts`: whether Docker makes hosts
 * @returns the methods that answered, and those that did not and why
 */
export async function takeTour(
  client: Client,
  { engine, folder, hosts }: { engine: TestEngine; folder: string; hosts: boolean },
): Promise<{ answered: Set<string>; failed: Map<string, string> }> {
  const answered = new Set<string>();
  const failed = new Map<string, string>();
  const go: Go = async <T>(method: string, input: unknown): Promise<T> => {
    const [group = '', name = ''] = method.split('.');
    const call = (client as unknown as Record<string, Record<string, (input: unknown) => Promise<T>>>)[group]?.[name];
    try {
      if (!call) throw new Error('there is no such method');
      const answer = await call(input);
      answered.add(method);
      failed.delete(method);
      return answer;
    } catch (error) {
      if (!answered.has(method)) failed.set(method, error instanceof ProvisioningError ? error.message : String(error));
      return undefined as T;
    }
  };
  const well = async <T>(method: string, input: unknown): Promise<T> => {
    const answer = await go<T>(method, input);
    if (answer === undefined && !answered.has(method)) throw new Error(`${method}: ${failed.get(method)}`);
    return answer;
  };

  const servers = [{ name: 'web', count: 2 }];
  const definition = demoDefinition(INFRA, { servers, taskservs: [{ name: 'nginx', on: 'all' }] });
  const ask = (more: object) => ({ ...requestOf({ infra: INFRA, definition, ...more }), actor: undefined });
  const ended = async (operation: string) => well<{ status: string }>('operations.result', { operation });
  const waits = async (operation: string) => {
    for await (const { type } of client.operations.follow({ operation })) if (type === 'waiting' || type === 'end') return;
  };

  // Places and accounts.
  for (const [method, input] of [
    ['workspaces.register', { workspace: 'tour', folder }],
    ['workspaces.get', { workspace: 'tour' }],
    ['workspaces.rename', { workspace: 'tour', to: 'tour-2' }],
    ['workspaces.remove', { workspace: 'tour-2' }],
    ['tenants.create', { tenant: 'tour', providers: ['demo'] }],
    ['tenants.get', { tenant: 'tour' }],
    ['tenants.delete', { tenant: 'tour' }],
    ['serviceAccounts.create', { account: 'default/tour' }],
    ['serviceAccounts.bind', { account: 'default/tour', role: 'viewer', workspace: WORKSPACE }],
    ['serviceAccounts.get', { account: 'default/tour' }],
    ['tokens.list', { account: 'default/tour' }],
  ] as const)
    await go(method, input);
  const { token } = (await go<{ token: string }>('tokens.create', { account: 'default/tour' })) ?? {};
  await go('tokens.revoke', { token: token?.split('_')[1] });
  await go('serviceAccounts.unbind', { account: 'default/tour', role: 'viewer', workspace: WORKSPACE });
  await go('serviceAccounts.delete', { account: 'default/tour' });
  await go('settings.set', { key: 'api.failedSignIns', value: 1_000_000 });
  await go('settings.get', { key: 'api.failedSignIns' });

  // An operation that waits, pauses, goes on and is approved.
  const { operation } = await well<{ operation: string }>('operations.submit', { request: ask({ approve: ['before-change'] }) });
  await waits(operation);
  await go('operations.pause', { operation });
  await go('operations.resume', { operation });
  await go('operations.approve', { operation, approved: true });
  await ended(operation);
  // One that is canceled.
  const more = [{ name: 'web', count: 3 }];
  const larger = demoDefinition(INFRA, { servers: more, taskservs: [{ name: 'nginx', on: 'all' }] });
  const { operation: canceled } = await well<{ operation: string }>('operations.submit', {
    request: ask({ id: undefined, approve: ['before-change'], definition: larger }),
  });
  await waits(canceled);
  await well('operations.cancel', { operation: canceled });
  await ended(canceled);

  // Present state of an infra.
  for (const [method, more] of [
    ['infras.refresh', { hosts: { withinMs: WITHIN_MS } }],
    ['infras.status', { hosts: { withinMs: WITHIN_MS } }],
    ['costs.estimate', {}],
    ['taskservs.versions', { withinMs: WITHIN_MS }],
    ['taskservs.outdated', { withinMs: WITHIN_MS }],
    ['taskservs.upgrade', { taskserv: 'nginx', withinMs: WITHIN_MS, preview: true, definition }],
  ] as const)
    await go(method, { ...PLACE, ...more });
  const tried = { workspace: WORKSPACE, infra: 'tried' };
  await go('testEnvironments.create', { ...tried, type: 'single', about: 'nginx', ttlMs: HOUR_MS });
  await go('testEnvironments.keep', tried);
  await go('testEnvironments.remove', tried);
  const { items: kept = [] } = ((await go<unknown>('infras.definitions', PLACE)) ?? {}) as { items?: { hash: string }[] };
  if (kept[0]) await go('infras.definition', { ...PLACE, hash: kept[0].hash });
  await go('providers.plans', { provider: 'demo' });
  await go('providers.images', { provider: 'demo' });
  await go('providers.zones', { provider: 'demo' });
  await go('providers.check', { provider: 'demo' });
  await go('taskservs.show', { taskserv: 'nginx' });
  await go('taskservs.check', { taskserv: 'nginx' });
  for (const [method, key, list] of [
    ['templates.get', 'template', 'templates.list'],
    ['topologies.get', 'topology', 'topologies.list'],
  ] as const) {
    const found = (await go<{ name: string }[]>(list, {})) ?? [];
    await go(method, { [key]: found[0]?.name });
  }
  await go('schemas.get', { of: 'definition' });

  // A bundle, with the text that the platform lacks.
  const text = 'infra: tour\n';
  const address = addressOfFile(WORKSPACE, text);
  const files = [{ path: 'tour.yaml', address, size: text.length }];
  const bundle = { ...PLACE, definition: address, main: 'tour.yaml', files };
  const put = await go<{ bundle?: string }>('bundles.put', { bundle, texts: { [address]: text } });
  await go('bundles.read', { ...PLACE, bundle: put?.bundle });
  await go('bundles.file', { ...PLACE, bundle: put?.bundle, path: 'tour.yaml' });

  // Previews.
  const { operation: preview } = await well<{ operation: string }>('plans.preview', {
    request: ask({ id: undefined, check: true }),
  });
  const plan = await go<{ hash: string }>('plans.result', { operation: preview });
  const { operation: applied } = (await go<{ operation: string }>('plans.apply', { request: ask({}), hash: plan?.hash })) ?? {};
  if (applied) await ended(applied);

  // Secrets.
  const secret = { workspace: WORKSPACE, name: 'tour' };
  await go('secrets.set', { ...secret, value: 'one' });
  await go('secrets.rotate', { ...secret, value: 'two' });
  for (const method of ['secrets.access', 'secrets.history', 'secrets.usage']) await go(method, secret);
  await go('secrets.rollback', { ...secret, to: 1 });
  await go('secrets.apply', { ...secret, as: 'tour' });
  await go('secrets.set', { workspace: WORKSPACE, name: 'tour-2', value: 'x' });
  await go('secrets.delete', { workspace: WORKSPACE, name: 'tour-2' });

  // A batch of one operation.
  const request = await batchRequest();
  await go('batches.submit', request);
  for (const method of ['batches.state', 'batches.rows', 'batches.result'])
    await go(method, { batch: request.id, ...(method === 'batches.rows' && { limit: 10 }) });
  await go('batches.rollback', { batch: request.id, as: 'tour-rollback' });

  // Limits, and a freeze.
  await go('freezes.create', { workspace: 'tour-frozen', reason: 'tour' });
  await go('freezes.delete', { workspace: 'tour-frozen' });
  await go('quotas.set', { workspace: WORKSPACE, operations: 1_000 });
  await go('quotas.get', { workspace: WORKSPACE });
  await go('quotas.remove', { workspace: WORKSPACE });

  await visitStates(client, engine, go);
  if (hosts) {
    await visitHosts(client, folder, go).catch((error: unknown) => console.log(`tour: ${error}`));
    const place = { folder: join(folder, 'crew'), infra: SHARES };
    await visitShares(engine, place, go).catch((error: unknown) => console.log(`tour: ${error}`));
  }
  await go('backups.list', {});
  await go('operations.count', {});

  // A record of all of it.
  const records = (await go<{ record?: string; id?: string }[]>('audit.list', { limit: 1 })) ?? [];
  await go('audit.get', { record: records[0]?.record ?? records[0]?.id });
  const [found] = (await go<{ who: string }[]>('audit.identities', { name: '127.0.0.1' })) ?? [];
  await go('audit.erase', { who: found?.who });

  return { answered, failed };
}

/** A batch that makes one server. */
async function batchRequest() {
  const plan = await batchOf('tour', { operations: [server('only')] }, { 'farm.json': farm('tour-farm', ['only']) });
  return { ...plan, id: 'batch-tour-1', workspace: WORKSPACE, timing: { retryMs: 50, ...plan.timing } };
}
