import { describe, expect, test } from 'vitest';
import { definitionOf } from '../../test/support/definition.js';
import { recordedAs } from '../../test/support/large.js';
import { unpackIfPacked } from '../encoding/pack.js';
import type { LockNeeds, OperationRequest } from '../operation/operation.js';
import { listClaims } from './claims.js';
import { compact, grantFor, hashOf, inventoryOf } from './grant.js';
import { emptyInventory, type Inventory } from './inventory.js';
import { buildLockRequest } from './lock-request.js';

const fileOf = (count: number, port = 80) => ({
  infra: 'shop',
  provider: 'demo',
  servers: Array.from({ length: count }, (_, index) => ({
    name: `web-${index + 1}`,
    taskservs: [{ name: 'nginx', config: { port } }],
  })),
});

const definition = definitionOf(fileOf(3));
const inventory = recordedAs(definition);
const requestOf = (brought?: typeof definition): OperationRequest => ({
  ...{ id: 'cluster-ensure-shop-1', kind: 'cluster', workspace: 'default', infra: 'shop', actor: 'ann' },
  intent: { verb: 'ensure' },
  ...(brought && { definition: brought }),
});
const namesIn = (needs: LockNeeds) => Object.keys(unpackIfPacked(grantFor(1, inventory, needs).inventory).servers);

test('a switch-over locks everything, whichever servers it names: it may change the leader on any', () => {
  const request: OperationRequest = { ...requestOf(), kind: 'taskserv', intent: { verb: 'switch-over', servers: ['web-1'] } };
  expect(buildLockRequest(request)).toMatchObject({ resources: ['*'], needs: { definition: true } });
});

describe('a grant', () => {
  test('leaves out the definition that the operation brings along', () => {
    const grant = grantFor(1, inventory, { own: hashOf(definition) });
    expect(grant).toMatchObject({ grant: 1, sameDefinition: true });
    expect(unpackIfPacked(grant.inventory)).not.toHaveProperty('definition');
    expect(inventoryOf(grant, requestOf(definition))).toEqual(inventory);
  });

  test.each<[string, LockNeeds]>([
    ['brings none', {}],
    ['brings another', { own: hashOf(definitionOf(fileOf(3, 81))) }],
  ])('has the definition in force if the operation %s', (_, needs) => {
    const grant = grantFor(1, inventory, needs);
    expect(grant).not.toHaveProperty('sameDefinition');
    expect(inventoryOf(grant, requestOf()).definition).toEqual(definition);
  });

  test('of an infra without a definition has none', () => {
    const grant = grantFor(1, emptyInventory({ workspace: 'default', infra: 'shop', uuid: 'u' }), { own: hashOf(definition) });
    expect(grant).not.toHaveProperty('sameDefinition');
    expect(inventoryOf(grant, requestOf(definition)).definition).toBeUndefined();
  });

  test.each<[string, LockNeeds, string[]]>([
    ['no server', {}, ['web-1', 'web-2', 'web-3']],
    ['one', { servers: ['web-2'] }, ['web-2']],
    ['a service of it', { servers: ['web-2'], taskservs: ['nginx'] }, ['web-2']],
    ['a server that is not there', { servers: ['web-2', 'web-9'] }, ['web-1', 'web-2', 'web-3']],
    ['a service that is not there', { servers: ['web-2'], taskservs: ['redis'] }, ['web-1', 'web-2', 'web-3']],
    ['what it brings along itself', { servers: ['web-2', 'web-9'], complete: true }, ['web-2']],
  ])('has the servers that the operation needs: it names %s', (_, needs, expected) => expect(namesIn(needs)).toEqual(expected));
});

describe('work on a member of a group', () => {
  const member = (name: string, group?: string) => ({
    ...{ name, role: 'db', taskservs: [{ name: 'etcd', config: {}, endpoints: [], after: [], ...(group && { group }) }] },
  });
  const of = (names: string) => ({ ...definition, servers: [...names].map((name) => member(name, 'main')) }) as never;
  const there = (name: string, group = 'main') => [
    name,
    { name, provider: 'demo', id: name, services: { etcd: { taskserv: 'etcd', group, config: {}, since: 'op-1' } } },
  ];
  const shop = (names: string, inForce = names) =>
    ({
      ...emptyInventory({ workspace: 'default', infra: 'shop', uuid: 'u' }),
      definition: of(inForce),
      servers: Object.fromEntries([...[...names].map((name) => there(name)), there('x', 'other')]),
    }) as unknown as Inventory;
  const request = (names: string, server: string): OperationRequest => ({
    ...requestOf(of(names)),
    ...{ kind: 'taskserv', intent: { verb: 'ensure', servers: [server], taskservs: ['etcd'] } },
  });
  const seen = (needs: LockNeeds, inventory: Inventory) =>
    Object.keys(unpackIfPacked(grantFor(1, inventory, needs).inventory).servers).join('');

  test.each<[string, string, Inventory]>([
    ['that the definition in force names and its own does not', 'ab', shop('abc')],
    ['that no definition names any more', 'ab', shop('abc', 'ab')],
    ['that only its own names', 'abc', shop('abc', 'ab')],
  ])('knows and claims all members, also one %s', (_, own, inventory) => {
    const lock = buildLockRequest(request(own, 'a'));
    expect(seen(lock.needs ?? {}, inventory)).toBe('abc');
    const keys = listClaims(lock, inventory).map(({ key }) => key);
    expect(keys).toEqual(expect.arrayContaining(['group/etcd/main', 'server/a', 'server/b', 'server/c']));
    expect(keys).not.toContain('server/x');
  });

  test('that only undoes what an operation did knows them, too', () => {
    const undo = { undo: 'delete-server', server: 'c', provider: 'demo' } as const;
    const lock = buildLockRequest({ ...requestOf(), intent: { verb: 'rollback', of: 'op-1' } }, [undo]);
    expect(seen(lock.needs ?? {}, shop('abc', 'ab'))).toBe('cab');
  });
});

test('an inventory of more than twenty servers travels packed', () => {
  const of = (count: number) => compact(recordedAs(definitionOf(fileOf(count))));
  expect(of(20)).not.toHaveProperty('packed');
  expect(of(21)).toHaveProperty('packed');
});
