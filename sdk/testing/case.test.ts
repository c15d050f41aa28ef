import { expect, test } from 'vitest';
import { etcd } from '../../taskservs/etcd/etcd.js';
import { nats } from '../../taskservs/nats/nats.js';
import type { AnyTaskserv } from '../index.js';
import { type Case, stepsOf } from './case.js';

const reference = (name: string) => ({ $secret: name });
const tls = { certificate: reference('c'), key: reference('k'), authority: reference('a') };
const GROUP = { a: 'silent', b: 'silent', c: 'silent' } as const;
const leave = (taskserv: AnyTaskserv, config: unknown, more: Partial<Case> = {}) =>
  stepsOf(taskserv, { action: 'leave', target: { server: 'b' }, config, group: GROUP, steps: [], ...more }).map(
    ({ title }) => title,
  );

test('a member that leaves is not among the members, unless only its machine is replaced', () => {
  const seen: string[][] = [];
  const told: AnyTaskserv = {
    ...etcd,
    group: {
      ...(etcd.group as NonNullable<AnyTaskserv['group']>),
      leave: (_config, leaving, { members }) => {
        seen.push([leaving.server, ...members.map(({ server }) => server)]);
        return [];
      },
    },
  };
  const config = { cluster: 'main', tls, peerTls: tls };
  leave(told, config);
  leave(told, config, { stays: true });
  expect(seen).toEqual([
    ['b', 'a', 'c'],
    ['b', 'a', 'b', 'c'],
  ]);
});

test('a service for which that makes a difference decides as on the platform', () => {
  const users = [{ name: 'shop', password: reference('p') }];
  const config = { cluster: 'main', jetStream: true, users, adminPassword: reference('s'), peerTls: tls };
  expect(leave(nats, config)).toEqual(['Remove b from the nats cluster main']);
  expect(leave(nats, config, { stays: true })).toEqual([]);
});
