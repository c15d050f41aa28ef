import { expect, test } from 'vitest';
import { findSpecs } from './switch-over.js';

const service = (taskserv: string, group?: string) => ({ taskserv, config: {}, ...(group !== undefined && { group }) });
const servers = {
  a: { name: 'a', services: { patroni: service('patroni', 'shop'), etcd: service('etcd', 'main'), nginx: service('nginx') } },
  b: { name: 'b', services: { patroni: service('patroni', 'shop') } },
  c: { name: 'c', services: { patroni: service('patroni', 'store') } },
} as never;

function find(intent: { taskservs?: string[]; group?: string }) {
  try {
    return findSpecs({ infra: 'i', intent: { verb: 'switch-over', ...intent } }, { servers }).map(
      ({ name, group }) => `${name}/${group}`,
    );
  } catch (error) {
    const { code, why, hint } = (error as { details: Record<string, string> }).details;
    return `${code}: ${why}; ${hint}`;
  }
}

test('a switch-over is about each group once, of those that are named', () => {
  expect(find({})).toEqual(['patroni/shop', 'etcd/main', 'patroni/store']);
  expect(find({ taskservs: ['patroni'] })).toEqual(['patroni/shop', 'patroni/store']);
  expect(find({ group: 'store' })).toEqual(['patroni/store']);
});

test('a service that is no group here is refused, with those that are', () => {
  expect(find({ taskservs: ['nginx'] })).toBe(
    'unknown-service: the infra has no such group: nginx; its groups are patroni "shop", etcd "main", patroni "store"',
  );
  expect(find({ taskservs: ['etcd'], group: 'store' })).toContain('no such group: etcd, group "store"');
});
