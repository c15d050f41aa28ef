import { expect, test } from 'vitest';
import { describeFrozen, describeLimited, readLimitedWorkspace } from './limited-tenant.js';
import { parseFrozenPlace } from './parse-frozen-place.js';

const REFUSED = expect.objectContaining({ details: expect.objectContaining({ code: 'bad-arguments' }) as unknown });

test.each([
  ['a workspace', 'default', undefined, { workspace: 'default' }],
  ['a workspace of a tenant', 'default', 'acme', { workspace: 'default', tenant: 'acme' }],
  ['a tenant', undefined, 'acme', { workspace: '*', tenant: 'acme' }],
])('a quota is for %s', (_, workspace, tenant, place) => {
  expect(readLimitedWorkspace(workspace, tenant)).toEqual(place);
});

test('a quota without a place is refused', () => {
  expect(() => readLimitedWorkspace(undefined, undefined)).toThrow(REFUSED);
});

test.each([
  ['a tenant', undefined, { tenant: 'acme' }, { workspace: '*', tenant: 'acme' }],
  ['all of a tenant', undefined, { tenant: 'acme', all: true }, { workspace: '*', tenant: 'acme' }],
  ['an infra of a tenant', 'default/shop', { tenant: 'acme' }, { workspace: 'default', infra: 'shop', tenant: 'acme' }],
  ['the platform', undefined, { all: true }, { workspace: '*' }],
  ['a workspace', 'default', {}, { workspace: 'default' }],
  ['an environment', 'default', { env: 'prod' }, { workspace: 'default', environment: 'prod' }],
  [
    'an environment of a tenant',
    undefined,
    { env: 'prod', tenant: 'acme' },
    { workspace: '*', environment: 'prod', tenant: 'acme' },
  ],
])('a freeze is for %s', (_, place, options, expected) => {
  expect(parseFrozenPlace(place, options)).toEqual(expected);
});

test.each<[string | undefined, { all?: boolean; tenant?: string; env?: string }]>([
  [undefined, { env: 'prod' }],
  ['default/shop', { env: 'prod' }],
  [undefined, {}],
  ['default', { all: true }],
  ['default', { all: true, tenant: 'acme' }],
  ['*', { tenant: 'acme' }],
  ['a/b/c', { tenant: 'acme' }],
])('a freeze of %s with %j is refused', (place, options) => {
  expect(() => parseFrozenPlace(place, options)).toThrow(REFUSED);
});

test('a place of a tenant is named with it', () => {
  expect(['*', 'default'].map((place) => describeLimited(place, 'acme'))).toEqual([
    'all workspaces of the tenant acme',
    'default of the tenant acme',
  ]);
  expect(describeLimited('*', undefined)).toBe('*');
  const frozen = { place: '*@prod', workspace: '*', environment: 'prod' };
  expect([undefined, 'acme'].map((tenant) => describeFrozen(frozen, tenant))).toEqual([
    'environment prod of all workspaces',
    'environment prod of all workspaces of the tenant acme',
  ]);
});
