import { describe, expect, it } from 'vitest';
import { inventoryOf } from '../../test/support/inventory.js';
import type { InventoryServer } from '../infra/inventory.js';
import type { OperationRequest } from './operation.js';
import { type FoundPower, listInstalled, markSwitched, powerChangeOf, powerScopeOf, powerTargets } from './power.js';

const server = (name: string, more: Partial<InventoryServer> = {}) =>
  ({ name, provider: 'demo', spec: { name, role: name }, services: {}, since: 'op-1', ...more }) as InventoryServer;
const request = (verb: 'start' | 'stop' | 'restart', ...servers: string[]) =>
  ({ kind: 'server', workspace: 'default', infra: 'shop', intent: { verb, servers } }) as OperationRequest;
const thrown = (work: () => unknown) => {
  try {
    work();
  } catch (error) {
    return (error as { details: object }).details;
  }
  return undefined;
};

describe('what a server needs', () => {
  it.each([
    ['start', 'running', 'none'],
    ['start', 'stopped', 'start'],
    ['start', 'starting', 'start'],
    ['stop', 'running', 'stop'],
    ['stop', 'starting', 'stop'],
    ['stop', 'stopped', 'none'],
    ['restart', 'running', 'restart'],
    ['restart', 'starting', 'restart'],
    ['restart', 'stopped', 'start'],
  ] as const)('to %s one that is %s: %s', (verb, status, action) => {
    expect(powerChangeOf(verb, { server: 'a', status } as FoundPower).action).toBe(action);
  });
});

describe('whom an operation switches', () => {
  it('those that are named, each once', () => {
    expect(
      powerTargets(request('stop', 'b', 'a', 'b'), inventoryOf(server('a'), server('b'), server('c'))).map(({ name }) => name),
    ).toEqual(['b', 'a']);
  });

  it('refuses what is not there, and says how to make what is only wanted', () => {
    const known = inventoryOf(server('a'));
    expect(thrown(() => powerTargets(request('stop', 'a', 'x', 'y'), known))).toMatchObject({ code: 'unknown-server', on: 'x, y' });
    known.definition = { servers: [{ name: 'x' }] } as never;
    expect(thrown(() => powerTargets(request('start', 'x'), known))).toMatchObject({
      why: 'infra "shop" has no such server yet',
      hint: 'provisioning server create x --infra shop',
    });
  });

  it('refuses machines that existed before, all of them at once', () => {
    const host = { kind: 'ssh', address: '10.0.0.1', port: 22, user: 'root' } as const;
    const own = (name: string) => server(name, { spec: { name, host } as InventoryServer['spec'] });
    const details = thrown(() => powerTargets(request('restart', 'a', 'b', 'c'), inventoryOf(server('a'), own('b'), own('c'))));
    expect(details).toMatchObject({ code: 'cannot-switch', blame: 'user', on: 'b, c', what: 'restart the server' });
    expect(details).toHaveProperty('hint', 'run for each server, such as provisioning server ssh b -- sudo systemctl reboot');
    expect(thrown(() => powerTargets(request('start', 'b'), inventoryOf(own('b'))))).toMatchObject({
      why: 'it existed before and is not a machine of a provider',
      hint: 'switch the machine on by hand',
    });
    expect(thrown(() => powerTargets(request('stop', 'b'), inventoryOf(own('b'))))).toMatchObject({
      hint: 'run provisioning server ssh b -- sudo systemctl poweroff',
    });
  });
});

it('services are checked as they were installed, in the order of the definition', () => {
  const service = (taskserv: string) => ({ taskserv, version: '1', config: `${taskserv} as installed`, since: 'op-1' });
  const target = server('a', { services: { web: service('web'), db: service('db'), old: service('old') } });
  const wanted = (name: string, after: string[]) => ({ name, version: '2', config: 'new', endpoints: [], after });
  const known = inventoryOf(target);
  known.definition = { servers: [{ name: 'a', role: 'a', taskservs: [wanted('db', []), wanted('web', ['db'])] }] } as never;
  const found = listInstalled(target, powerScopeOf(request('start', 'a'), known, [target]));
  expect(found.map(({ name, version, config, after }) => [name, version, config, after])).toEqual([
    ['db', '1', 'db as installed', []],
    ['web', '1', 'web as installed', ['db']],
    ['old', '1', 'old as installed', []],
  ]);
});

it('a service keeps the group of its installation, and gets none back that it has left', () => {
  const services = { etcd: { taskserv: 'etcd', version: '3', config: {}, since: 'op-1', group: 'main', healthy: true } };
  const left = { etcd: { taskserv: 'etcd', version: '3', config: {}, since: 'op-1', healthy: true } };
  const groupsOf = (services: InventoryServer['services'], group?: string) => {
    const target = server('a', { services });
    const known = inventoryOf(target);
    const spec = { name: 'etcd', version: '3', config: {}, endpoints: [], after: [], ...(group && { group }) };
    known.definition = { servers: [{ name: 'a', role: 'a', taskservs: [spec] }] } as never;
    return listInstalled(target, powerScopeOf(request('start', 'a'), known, [target])).map(({ group }) => group);
  };
  expect([groupsOf(services), groupsOf(left, 'main')]).toEqual([['main'], [undefined]]);
});

it('a server that the definition no longer names can be switched', () => {
  const target = server('a');
  const { definition } = powerScopeOf(request('stop', 'a'), inventoryOf(target), [target]);
  expect(definition.servers.map(({ name }) => name)).toEqual(['a']);
});

it('who switched it off is known until it runs again', () => {
  const off = markSwitched(server('a'), 'op-2');
  expect(off.stopped).toBe('op-2');
  expect('stopped' in markSwitched(off)).toBe(false);
});
