import { describe, expect, test } from 'vitest';
import { type AnyMethod, actionsOf } from '../method.js';
import { METHODS } from '../methods.generated.js';
import { OWNER_ONLY } from '../principal.js';
import { actionsByRole, ROLES, rolesAllow } from './roles.js';

const ACTIONS = [...new Set(Object.values<AnyMethod>(METHODS).flatMap(actionsOf))].sort();
const allowed = (role: string) => [...(actionsByRole.get(role) ?? [])];

test.each(ACTIONS)('%s is in a group of actions, or is only for the owner', (action) => {
  expect(actionsByRole.get('admin')?.has(action)).toBe(!OWNER_ONLY.has(action));
});

test.each(ROLES)('%s allows only actions of methods', (role) => {
  expect(allowed(role).filter((action) => !ACTIONS.includes(action))).toEqual([]);
});

test.each(ACTIONS.flatMap((action) => ROLES.map((role) => [role, action] as const)))(
  'the role %s in one workspace decides about %s there, and nowhere else',
  (role, action) => {
    const bindings = [{ role, workspace: 'shop' }];
    // Every account may read its own identity.
    if (action === 'identity:read') return expect(rolesAllow([], action, {})).toBe(true);
    const here = rolesAllow(bindings, action, { workspace: 'shop' });
    const isWide = ['workspace:import', 'workspace:register', 'workspace:rename'].includes(action);
    expect(here).toBe(allowed(role).includes(action) && !isWide);
    expect(rolesAllow(bindings, action, { workspace: 'test-environments-of-shop' })).toBe(here);
    expect(rolesAllow(bindings, action, { workspace: 'other' })).toBe(false);
    const isShared = action === 'catalog:read' || action === 'provider:read';
    expect(rolesAllow(bindings, action, {})).toBe(here && isShared);
    const everywhere = [{ role, workspace: '*' }];
    for (const resource of [{ workspace: 'shop' }, {}])
      expect(rolesAllow(everywhere, action, resource)).toBe(allowed(role).includes(action));
  },
);

describe('a role', () => {
  test('that this release does not know allows nothing', () => {
    for (const role of ['root', 'toString', '__proto__', '*', ''])
      for (const action of ACTIONS.filter((one) => one !== 'identity:read'))
        expect(rolesAllow([{ role, workspace: '*' }], action, {})).toBe(false);
  });

  test('allows no action that nobody has classed', () => {
    for (const action of ['operation:explode', '*:*', 'operation:*', ''])
      expect(rolesAllow([{ role: 'admin', workspace: '*' }], action, {})).toBe(false);
  });

  test('that reads changes nothing', () => {
    const changes = (role: string) => allowed(role).filter((action) => !/:read(-key|-logs)?$/.test(action));
    expect([changes('viewer'), changes('auditor')]).toEqual([[], []]);
    expect(changes('approver')).toEqual(['batch:approve', 'operation:approve']);
  });

  test('that deploys neither approves nor reveals secrets nor grants roles', () => {
    for (const action of ['operation:approve', 'batch:approve', 'secret:reveal', 'role:bind', 'token:create', 'audit:read'])
      for (const role of ['operator', 'deployer'])
        expect([role, action, allowed(role).includes(action)]).toEqual([role, action, false]);
  });
});
