import { expect, test } from 'vitest';
import { definitionOf } from '../support/definition.js';
import { choosePairs, sharedBy } from './choose.js';
import { entryOf, mayMeet, services, touchedBy } from './services.js';

const names = (count: number) => Array.from({ length: count }, (_, index) => `s${index}`);
const nothing = new Map<string, Set<string>>();
const always = () => true;

test('up to a dozen services all pairs meet, but those that cannot share a server', () => {
  const among = { mayMeet: always, touches: nothing, seed: 1 };
  expect(choosePairs(names(12), among)).toHaveLength(66);
  expect(choosePairs(names(3), { ...among, mayMeet: (a, b) => a + b !== 's0s2' })).toEqual([
    ['s0', 's1'],
    ['s1', 's2'],
  ]);
});

test('of more, those that share something, and fifty that the seed draws', () => {
  const touches = new Map([
    ['s3', new Set(['port 80', 'package a'])],
    ['s7', new Set(['port 80'])],
    ['s9', new Set(['package b'])],
  ]);
  const chosen = choosePairs(names(20), { mayMeet: always, touches, seed: 1 });
  expect(chosen[0]).toEqual(['s3', 's7']);
  expect(chosen).toHaveLength(51);
  expect(new Set(chosen.map(String)).size).toBe(51);
  expect(choosePairs(names(20), { mayMeet: always, touches, seed: 1 })).toEqual(chosen);
  expect(choosePairs(names(20), { mayMeet: always, touches, seed: 2 })).not.toEqual(chosen);
  // Thirteen services have 78 pairs. If fewer pairs remain than the number to draw, all of them are chosen.
  expect(choosePairs(names(13), { mayMeet: always, touches: nothing, seed: 1 }, 100)).toHaveLength(78);
});

test('what services say they touch tells which of them share a port', () => {
  const touches = new Map(services.map((name) => [name, touchedBy(name)]));
  expect(sharedBy('haproxy', 'nginx', touches)).toContain('port 80');
  expect(sharedBy('redis', 'users', touches)).toEqual([]);
  expect([...(touches.get('redis') ?? [])]).toEqual(expect.arrayContaining(['package redis-server', 'file /etc/redis/redis.conf']));
  expect(mayMeet('haproxy', 'nginx')).toBe(true);
});

test('those meet that need nothing but a host', () => {
  expect(services).toEqual(expect.arrayContaining(['app', 'haproxy', 'postgres', 'restic']));
  expect(services.filter((name) => ['acme', 'app-build', 'dns-records', 'traefik', 'vault'].includes(name))).toEqual([]);
});

test.each(services)('%s has a configuration to meet others with', (name) => {
  const taskservs = [entryOf(name)];
  expect(definitionOf({ infra: 'pairs', provider: 'local', servers: [{ name: 'a' }], taskservs }).servers).toHaveLength(1);
});
