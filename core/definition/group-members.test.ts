import { expect, test } from 'vitest';
import type { Definition } from './definition.js';
import { findGroups, listMembers, orderMembers } from './group-members.js';

const on = (name: string, ...taskservs: [string, string?][]) => ({
  name,
  taskservs: taskservs.map(([taskserv, group]) => ({ name: taskserv, ...(group && { group }) })),
});
const definition = {
  servers: [on('c', ['etcd', 'main']), on('a', ['etcd', 'main'], ['nginx']), on('b', ['etcd', 'other']), on('d', ['etcd'])],
} as unknown as Definition;
const spec = (server: string, index = 0) => definition.servers.find(({ name }) => name === server)?.taskservs[index] as never;

test('members of a group have its taskserv and its name', () => {
  expect(listMembers(definition, spec('a')).map(({ server }) => server.name)).toEqual(['c', 'a']);
  expect(listMembers(definition, spec('d'))).toEqual([]);
});

test('work on a member depends on all members of its groups', () => {
  expect(findGroups(definition, ['a', 'd'])).toEqual({ names: ['etcd/main'], servers: ['a', 'c'] });
  expect(findGroups(definition, ['a'], ['nginx'])).toEqual({ names: [], servers: [] });
});

test('groups of one name are two groups if their taskservs differ', () => {
  const servers = [on('a', ['etcd', 'main'], ['nats', 'main']), on('b', ['nats', 'main']), on('c', ['etcd', 'main'])];
  const both = { servers } as unknown as Definition;
  expect(findGroups(both, ['b'])).toEqual({ names: ['nats/main'], servers: ['a', 'b'] });
  expect(findGroups(both, ['a'], ['etcd'])).toEqual({ names: ['etcd/main'], servers: ['a', 'c'] });
  expect(findGroups(both, ['a'])).toEqual({ names: ['etcd/main', 'nats/main'], servers: ['a', 'b', 'c'] });
});

test('members take the places of their group, and others keep theirs', () => {
  const items = ['g2', 'x', 'h2', 'g1', 'h1'];
  const groupIn = (item: string) => (item === 'x' ? undefined : item[0]);
  expect(orderMembers(items, groupIn, (one, other) => (one < other ? -1 : 1))).toEqual(['g1', 'x', 'h1', 'g2', 'h2']);
});
