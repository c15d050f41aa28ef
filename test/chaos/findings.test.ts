import { describe, expect, test } from 'vitest';
import type { Inventory } from '../../core/infra/inventory.js';
import type { PlannedStep } from '../../core/plan/planned-step.js';
import type { DemoEffect } from '../../providers/demo/store/state.js';
import {
  againstDefinition,
  againstInForce,
  asBefore,
  doubledEffects,
  effectsAgainstPlan,
  locksLeft,
  type OperationSeen,
  silentWaits,
  strays,
} from './findings.js';
import { makeAll } from './work.js';

const definition = makeAll('shop').wanted;
if (!definition) throw new Error('the work has no definition');

/** Returns an inventory that exactly matches the definition. */
function inventoryOf(change: (inventory: Inventory) => void = () => {}): Inventory {
  const servers = definition?.servers.map(({ taskservs, ...spec }) => {
    const services = taskservs.map(({ name, version, config }) => {
      return [name, { taskserv: name, version, config, healthy: true, since: 'op' }] as const;
    });
    const connection = { kind: 'demo', account: 'default', server: spec.name } as const;
    return [
      spec.name,
      { name: spec.name, provider: 'demo', id: spec.name, connection, spec, services: Object.fromEntries(services), since: 'op' },
    ] as const;
  });
  const networks = { shop: { name: 'shop', provider: 'demo', id: 'shop', since: 'op' } };
  const inventory: Inventory = {
    workspace: 'default',
    infra: 'shop',
    uuid: 'u',
    definition,
    servers: Object.fromEntries(servers ?? []),
    networks,
  };
  change(inventory);
  return inventory;
}

const everything = { servers: ['db', 'web-1', 'web-2'], networks: ['shop'], volumes: ['db/dump', 'web-1/data', 'web-2/data'] };
const kinds = (found: { kind: string; what: string }[]) => found.map(({ kind, what }) => `${kind}: ${what}`);
const effect = (verb: string, name: string, key = 'op/x/1'): DemoEffect => ({ verb, name, key, at: '' });
const seen = (more: Partial<OperationSeen> = {}): OperationSeen => ({
  operation: 'op',
  open: false,
  status: 'done',
  attention: [],
  plan: [],
  ...more,
});

describe('what exists against the inventory', () => {
  test('nothing is said where they are the same', () => {
    expect(strays(everything, inventoryOf())).toEqual([]);
    expect(strays({ servers: [], networks: [], volumes: [] }, undefined)).toEqual([]);
  });

  test('a server, a network, a volume that nobody has is orphaned', () => {
    const more = {
      servers: [...everything.servers, 'spare'],
      networks: ['shop', 'old'],
      volumes: [...everything.volumes, 'web-9/data'],
    };
    expect(kinds(strays(more, inventoryOf()))).toEqual([
      'orphaned: servers: spare is in no inventory',
      'orphaned: networks: old is in no inventory',
      'orphaned: volumes: web-9/data is in no inventory',
    ]);
    expect(strays(everything, undefined)).toHaveLength(7);
  });

  test('what is only in the inventory, and what is there twice', () => {
    expect(kinds(strays({ ...everything, servers: ['db', 'web-1', 'web-1'] }, inventoryOf()))).toEqual([
      'wrong: servers: web-2 is in the inventory and does not exist',
      'doubled: servers: web-1 exists more than once',
    ]);
  });
});

describe('effects', () => {
  test('each under its own key, and again after it was rolled back', () => {
    const fine = [
      effect('servers.create', 'web-1'),
      effect('host.step', 'web-1/redis: Start'),
      effect('host.undo', 'web-1/redis: Start'),
    ];
    expect(doubledEffects([...fine, effect('host.step', 'web-1/redis: Start', 'op/x/2')])).toEqual([]);
  });

  test('twice under one key, or under two keys of one operation', () => {
    expect(kinds(doubledEffects([effect('servers.create', 'web-1'), effect('servers.create', 'web-1')]))).toEqual([
      'doubled: servers.create web-1 under op/x/1',
    ]);
    expect(kinds(doubledEffects([effect('host.step', 'a: Start'), effect('host.step', 'a: Start', 'op/x/2')]))).toEqual([
      'doubled: host.step a: Start by op',
    ]);
    expect(doubledEffects([effect('host.step', 'a: Start'), effect('host.step', 'a: Start', 'other/x/1')])).toEqual([]);
  });

  test('are exactly those of the plan', () => {
    const plan: PlannedStep[] = [
      { on: 'network/shop', title: 'Create the network shop' },
      { on: 'web-1', title: 'Create the server web-1' },
      { on: 'web-2', title: 'Change the server web-2: plan' },
      { on: 'web-1', taskserv: 'redis', title: 'Start redis' },
    ];
    const done = [
      effect('networks.create', 'shop'),
      effect('servers.create', 'web-1'),
      effect('servers.update', 'web-2'),
      effect('host.step', 'web-1/redis: Start redis'),
    ];
    const operation = { operation: 'op', plan };
    expect(effectsAgainstPlan(operation, [...done, effect('host.step', 'other', 'op2/x/1')])).toEqual([]);
    expect(kinds(effectsAgainstPlan(operation, done.slice(1)))).toEqual(['wrong: networks.create shop: 0 times instead of 1']);
    expect(kinds(effectsAgainstPlan(operation, [...done, effect('servers.create', 'web-1')]))).toEqual([
      'doubled: servers.create web-1: 2 times instead of 1',
    ]);
    expect(kinds(effectsAgainstPlan(operation, [...done, effect('servers.create', 'web-3')]))).toEqual([
      'wrong: servers.create web-3: 1 times instead of 0',
    ]);
  });
});

describe('operations and locks', () => {
  test('a lock of one that has ended, or that nobody knows', () => {
    const locks = { holders: [{ operation: 'op' }], waiters: [{ operation: 'ghost' }] };
    expect(locksLeft(locks, [seen({ open: true }), seen({ operation: 'ghost', open: true })])).toEqual([]);
    expect(kinds(locksLeft(locks, [seen()]))).toEqual([
      'lock: op holds a lock and has ended',
      'lock: ghost waits for a lock and has ended',
    ]);
  });

  test('an operation ends, or waits with a reason and calls somebody', () => {
    const waits = { open: true, status: 'waiting', waiting: 'Retry or skip?', attention: ['decision'] } as const;
    expect(silentWaits([seen(), seen({ ...waits, attention: ['decision'] })])).toEqual([]);
    for (const silent of [
      { status: 'running' },
      { waiting: ' ' },
      { waiting: undefined },
      { attention: [] },
    ] as Partial<OperationSeen>[])
      expect(silentWaits([seen({ ...waits, attention: ['decision'], ...silent })])).toHaveLength(1);
  });
});

describe('the inventory', () => {
  test('against the definition', () => {
    expect(againstDefinition(inventoryOf(), definition)).toEqual([]);
    const changes: ((inventory: Inventory) => void)[] = [
      ({ servers }) => void delete servers.db,
      ({ servers }) => void delete servers.db?.services.redis,
      ({ servers }) => void Object.assign(servers.db?.services.redis ?? {}, { healthy: false }),
      (inventory) => void Object.assign(inventory, { definition: undefined }),
    ];
    for (const change of changes) expect(againstDefinition(inventoryOf(change), definition)).toHaveLength(1);
    expect(againstDefinition(undefined, definition)).toHaveLength(2);
  });

  test('the inventory against the definition in force, and the servers that requests named', () => {
    const names = Object.keys(inventoryOf().servers);
    expect(againstInForce(inventoryOf(), definition, [])).toEqual([]);
    const without = inventoryOf(({ servers }) => void delete servers.db);
    expect(kinds(againstInForce(without, definition, names))).toEqual([
      'wrong: the definition in force has db, and it is not there',
    ]);
    const other = inventoryOf(({ servers }) => void Object.assign(servers, { other: servers.db }));
    expect(againstInForce(other, definition, ['other'])).toEqual([]);
    expect(kinds(againstInForce(other, definition, names))).toEqual(['wrong: other is there, and no request named it']);
    expect(againstInForce(undefined, definition, [])).toHaveLength(names.length);
  });

  test('against what was before', () => {
    expect(asBefore('it', { a: [1] }, { a: [1] })).toEqual([]);
    expect(kinds(asBefore('it', { a: [1] }, { a: [2] }))[0]).toMatch(/^wrong: it is not as before: .*\[2\].* instead of .*\[1\]/);
    expect(asBefore('it', undefined, { a: 1 })).toHaveLength(1);
    expect(asBefore('it', { a: 1 }, undefined)).toHaveLength(1);
  });
});
