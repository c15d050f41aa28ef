import { describe, expect, test } from 'vitest';
import { fc } from '../test/support/fast-check.js';
import { NAME, testWorkspaceOf } from './names.js';
import { operation } from './schema/operation-request.js';
import { findTenant, findTenantOfId, isWorkspace, markId, showNames, showWorkspace, translateWorkspace } from './tenant-names.js';

const A = 'aaaaaaaa';
const B = 'b1b1b1b1';
const names = fc.stringMatching(/^[a-z][a-z0-9-]{0,39}$/);

describe('a workspace of a tenant', () => {
  test('is found again by its tenant and name, and is a name that every place accepts but no person can write', () => {
    fc.assert(
      fc.property(names, (name) => {
        const internal = translateWorkspace(A, name);
        expect([findTenant(internal), showWorkspace(internal)]).toEqual([A, name]);
        expect([NAME.test(internal), isWorkspace(internal), isWorkspace(testWorkspaceOf(internal))]).toEqual([false, true, true]);
        expect(operation.shape.workspace.safeParse(internal).success).toBe(true);
        expect(translateWorkspace(B, name)).not.toBe(internal);
        expect(translateWorkspace('', name)).toBe(name);
      }),
    );
  });

  test('of test environments belongs to the tenant as well', () => {
    const internal = translateWorkspace(A, testWorkspaceOf('shop'));
    expect(internal).toBe(testWorkspaceOf(translateWorkspace(A, 'shop')));
    expect([findTenant(internal), showWorkspace(internal)]).toEqual([A, testWorkspaceOf('shop')]);
  });

  test('is never one of another tenant, whatever a caller writes', () => {
    const foreign = translateWorkspace(B, 'shop');
    const written = fc.oneof(fc.string(), names, fc.constantFrom(foreign, testWorkspaceOf(foreign), '-shop', '*', ''));
    fc.assert(
      fc.property(written, (text) => {
        const internal = translateWorkspace(A, text);
        expect(internal).not.toBe(foreign);
        expect(['', A]).toContain(findTenant(internal));
        expect(internal).toContain(`tenant--${A}-`);
      }),
    );
  });

  test('two names are never one workspace', () => {
    const written = fc.oneof(names, fc.string());
    fc.assert(
      fc.property(
        written,
        written,
        (one, other) => (translateWorkspace(A, one) === translateWorkspace(A, other)) === (one === other),
      ),
    );
  });
});

test('names of homes are nobody else’s, also those that look alike', () => {
  expect(['w'.repeat(41), 'A', '../x', ''].map(isWorkspace)).toEqual([false, false, false, false]);
  for (const name of ['default', 'tenant--aaaaaaaa-shop', testWorkspaceOf('default'), 'tenant'])
    expect([findTenant(name), showWorkspace(name)]).toEqual(['', name]);
});

describe('the id of an operation', () => {
  test('has the mark of its tenant once, and ids that derive from it keep it', () => {
    const id = markId(A, 'cluster-ensure-shop-1');
    expect(id).toBe('cluster-ensure-shop-1.t-aaaaaaaa');
    expect([markId(A, id), findTenantOfId(id), findTenantOfId(`${id}-op-3`)]).toEqual([id, A, A]);
    expect([markId('', 'x'), findTenantOfId('x')]).toEqual(['x', '']);
  });

  test('is never one of another tenant', () => {
    const foreign = markId(B, 'cluster-ensure-shop-1');
    for (const written of [foreign, `${foreign}-op-1`, `x.t-${A}x`, `x.t-${A}.t-${B}`])
      expect(findTenantOfId(markId(A, written))).toBe(A);
  });
});

test('texts show names to their tenant alone', () => {
  const text = `infra/${translateWorkspace(A, 'shop')}/web, generated/${translateWorkspace(A, 'a'.repeat(40))}/web/key`;
  expect(showNames(A, text)).toBe(`infra/shop/web, generated/${'a'.repeat(40)}/web/key`);
  expect(showNames(B, text)).toBe(text);
});
