import { describe, expect, test, vi } from 'vitest';
import { emptyInventory } from '../../core/infra/inventory.js';
import type { Grant } from '../../core/infra/lock.js';
import type { LockRequest } from '../../core/operation/operation.js';
import { Admission } from './admission.js';
import { Admitter } from './admitter.js';
import { InfraRecord } from './infra-record.js';

vi.mock('@temporalio/workflow', () => ({
  CancellationScope: { current: () => ({ run: (work: () => unknown) => work() }) },
  isCancellation: () => false,
  uuid4: () => 'u',
}));
vi.mock('./watch-holders.js', () => ({ createWatcher: () => ({ look() {}, stop() {} }) }));

const request: LockRequest = { operation: 'op', kind: 'server', resources: ['server/a'], actor: 'ann' };

/** A run that is handed an operation which has its lock, and who it tells. */
function runWithHolder() {
  const record = new InfraRecord({ workspace: 'w', infra: 'i' }, undefined, () => {});
  const before = new Admission(() => record.inventory);
  before.ask(request, 0);
  before.admit(0);
  const told: [string, Grant][] = [];
  const admission = new Admission(() => emptyInventory({ workspace: 'w', infra: 'i', uuid: 'u' }), before.state());
  const granted = async (operation: string, grant: Grant) => void told.push([operation, grant]);
  return { admitter: new Admitter(record, admission, { granted, grantable: async () => {} }), admission, told };
}

describe('an operation that has its lock, and asks once more since it heard no answer', () => {
  test('is told by a run that serves', () => {
    const { admitter, told } = runWithHolder();
    admitter.begin();
    expect(told).toEqual([]);
    admitter.tellAgain('op');
    expect(told.map(([operation]) => operation)).toEqual(['op']);
  });

  test('is told by a run that has only just begun, once it serves', () => {
    const { admitter, admission, told } = runWithHolder();
    admission.ask(request, 1);
    admitter.admit();
    admitter.tellAgain('op');
    expect(told).toEqual([]);
    admitter.begin();
    expect(told.map(([operation]) => operation)).toEqual(['op']);
  });
});
