import { describe, expect, test } from 'vitest';
import type { StandingMark } from '../../activities/service/quorum.js';
import type { TaskservSpec } from '../../core/definition/definition.js';
import type { Inventory } from '../../core/infra/inventory.js';
import type { WorkScope } from '../../core/operation/work-scope.js';
import {
  canSpareOne,
  describeGroups,
  findChangingGroups,
  findDroppedMembers,
  groupsOn,
  membersInOrder,
  rankMember,
} from './grouped-hosts.js';

const spec = (config: unknown = 'wanted'): TaskservSpec => ({
  ...{ name: 'etcd', version: '3', config, endpoints: [], after: [] },
  group: 'main',
});
const server = (name: string, config?: unknown) => ({ name, taskservs: [spec(config)] });
const definition = { servers: [server('c'), server('a'), server('b'), server('d')] } as unknown as WorkScope['definition'];
const work = {
  definition,
  ensureServices: definition.servers.map((one) => ({ server: one, taskservs: one.taskservs })),
} as unknown as WorkScope;
const there = (name: string, more = {}) => ({
  ...{
    name,
    provider: 'demo',
    id: `m-${name}`,
    connection: { kind: 'demo' },
    services: { etcd: { taskserv: 'etcd', group: 'main', config: 'installed' } },
  },
  ...more,
});
const inventory = {
  servers: { a: there('a'), b: there('b', { services: {} }), d: there('d', { stopped: 'op' }), gone: there('gone') },
} as unknown as Inventory;

describe('members are worked on', () => {
  const order = (standings: Record<string, Partial<StandingMark>>) =>
    membersInOrder(work, (name) => ({
      ...{ taskserv: 'etcd', steps: [], healthy: true },
      standing: { group: 'main', state: 'seen', ...standings[name] },
    })).map(({ server: { name } }) => name);

  test('as the definition has them for a first install', () => expect(order({})).toEqual(['c', 'a', 'b', 'd']));

  test('broken ones first, the leader after those that serve, new ones at last', () => {
    const joined = { joined: true as const };
    const serves = { ...joined, serves: true as const };
    expect(order({ a: serves, b: serves, d: { ...serves, leads: true } })).toEqual(['a', 'b', 'd', 'c']);
    expect(order({ a: serves, b: joined, c: serves, d: { ...serves, leads: true } })).toEqual(['b', 'c', 'a', 'd']);
    expect(order({ c: { ...serves, leads: true }, a: serves, b: serves, d: serves })).toEqual(['a', 'b', 'd', 'c']);
  });

  test('a leader that has to be changed first before all, also before broken ones', () => {
    const serves = { joined: true as const, serves: true as const };
    const leader = { ...serves, leads: true as const, first: true as const };
    expect(order({ a: serves, b: { joined: true }, c: serves, d: leader })).toEqual(['d', 'b', 'c', 'a']);
  });
});

test('new members come before those that serve and cannot be spared', () => {
  const joined = { group: 'main', state: 'seen' as const, joined: true as const };
  const serves = { ...joined, serves: true as const };
  const standing = (members: (typeof joined)[]) => members.map((member) => rankMember(member, canSpareOne(members)));
  expect([[serves], [serves, serves, serves]].map(canSpareOne)).toEqual([true, true]);
  expect(
    [
      [serves, serves],
      [serves, joined, serves],
      [serves, serves, serves, joined, joined],
    ].map(canSpareOne),
  ).toEqual([false, false, false]);
  // Two of five are lost with their machines. The group counts them still.
  const counted = { ...serves, voters: 5 };
  expect([canSpareOne([counted, counted, counted, undefined, undefined]), canSpareOne(Array(4).fill(counted))]).toEqual([
    false,
    true,
  ]);
  expect(standing([serves, joined, serves])).toEqual([2, 0, 2]);
  expect([rankMember(undefined, false), rankMember(undefined, true)]).toEqual([1, 4]);
});

test('members are asked as they are installed, where they have a machine that runs', () => {
  const { gone: _, ...servers } = inventory.servers;
  const { groups } = describeGroups({ servers }, definition, [spec()]);
  const at = (name: string) => ({ server: name, provider: 'demo', connection: { kind: 'demo' } });
  expect(groups?.[0]?.members).toEqual([
    { server: 'c', config: 'wanted' },
    { server: 'a', machine: 'm-a', at: at('a'), installed: true, config: 'installed' },
    { server: 'b', machine: 'm-b', at: at('b'), config: 'wanted' },
    { server: 'd', machine: 'm-d', installed: true, config: 'installed' },
  ]);
});

test('a member counts as long as it is there, whatever the definition says; only a first decision knows of repairs', () => {
  const alone = there('alone', { services: { etcd: { taskserv: 'etcd', config: 'installed' } } });
  const operation = { inventory: { ...inventory, servers: { ...inventory.servers, alone }, definition } } as never;
  const [first] = groupsOn(operation, work, [spec()]).groups ?? [];
  expect(first?.members.flatMap(({ server: name, leaves }) => (leaves ? [name] : []))).toEqual(['gone']);
  expect(first?.members.at(-1)).toMatchObject({ server: 'gone', installed: true, config: 'installed' });
  expect(first?.repairs).toEqual(['c', 'a', 'b', 'd']);
  expect(groupsOn({ inventory, decided: { before: inventory } } as never, work, [spec()]).groups?.[0]?.repairs).toBeUndefined();
});

test('a member whose install failed is noted when the definition that names it is replaced', () => {
  const next = { servers: [server('a'), server('c')] } as unknown as WorkScope['definition'];
  const dropped = findDroppedMembers({ ...inventory, definition }, next, 'op-2');
  expect(dropped).toEqual([
    {
      ...{ change: 'service', server: 'b' },
      service: { taskserv: 'etcd', version: '3', config: 'wanted', healthy: false, group: 'main', since: 'op-2' },
    },
  ]);
  expect(findDroppedMembers({ ...inventory, definition }, definition, 'op-2')).toEqual([]);
});

test('a group is decided again if one of its members changes, or was not decided', () => {
  const decided = (steps: Record<string, number>) =>
    Object.entries(steps).map(([name, count]) => ({
      ...{ server: name, expected: false },
      services: [
        { taskserv: 'etcd', steps: Array.from({ length: count }, () => ({ title: 'x', run: 'x', undo: 'x' })), healthy: true },
      ],
    }));
  const changing = (steps: Record<string, number>) => [...findChangingGroups(work, decided(steps))];
  expect(changing({ a: 0, b: 0, c: 0, d: 0 })).toEqual([]);
  expect(changing({ a: 0, b: 1, c: 0, d: 0 })).toEqual(['etcd/main']);
  expect(changing({ a: 0, b: 0, c: 0 })).toEqual(['etcd/main']);
});
