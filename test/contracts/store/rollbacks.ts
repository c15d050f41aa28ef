import { expect, test } from 'vitest';
import type { TwoStores } from './two-stores.js';

export function rollbacksContract(stores: () => TwoStores): void {
  test('roll-back data is read until it is replaced or dropped, by infra and by operation', async () => {
    const { one, two } = stores();
    const infra = { workspace: 'w', infra: 'kept' };
    const first = { ...infra, operation: 'cluster-ensure-kept-1' };
    const other = { ...infra, infra: 'other', operation: 'server/ü..' };
    const compensations = [{ undo: 'delete-network' as const, network: 'ä'.repeat(200_000), provider: 'demo' }];
    expect([await one.rollbacks.read(first), await one.rollbacks.find(first.operation)]).toEqual([undefined, undefined]);
    await Promise.all([
      one.rollbacks.keep(first, { kind: 'cluster', compensations: [] }),
      one.rollbacks.keep(other, { kind: 'server', compensations: [] }),
    ]);
    await two.rollbacks.keep(first, { kind: 'cluster', compensations });
    await one.rollbacks.keep({ ...infra, operation: 'back' }, { kind: 'cluster', of: first.operation, compensations: [] });
    expect(await one.rollbacks.read(first)).toEqual({ kind: 'cluster', compensations });
    expect(await one.rollbacks.find('back')).toEqual({
      ...infra,
      operation: 'back',
      kind: 'cluster',
      of: first.operation,
      compensations: [],
    });
    expect(await one.rollbacks.find(other.operation)).toMatchObject(other);
    // It does not exist in another infra or workspace.
    expect(await one.rollbacks.read({ ...first, infra: 'other' })).toBeUndefined();
    expect(await one.rollbacks.read({ ...first, workspace: 'v' })).toBeUndefined();

    await one.rollbacks.drop({ ...infra, operation: 'back' });
    expect([await two.rollbacks.find('back'), (await two.rollbacks.read(first))?.kind]).toEqual([undefined, 'cluster']);
    await two.rollbacks.drop(infra);
    await two.rollbacks.drop(infra);
    expect([await one.rollbacks.read(first), (await one.rollbacks.read(other))?.kind]).toEqual([undefined, 'server']);
  });

  test('of all who keep roll-back data at once, one is read whole', async () => {
    const { one, two } = stores();
    const raced = { workspace: 'w', infra: 'kept-raced', operation: 'raced' };
    const kept = Array.from({ length: 8 }, (_, index) => ({
      kind: 'cluster' as const,
      compensations: [{ undo: 'delete-network' as const, network: String(index).repeat(10_000), provider: 'demo' }],
    }));
    await Promise.all(kept.map((one_, index) => (index % 2 ? one : two).rollbacks.keep(raced, one_)));
    expect(kept).toContainEqual(await one.rollbacks.read(raced));
  });
}
