import { expect, test } from 'vitest';
import type { BatchHeader, BatchOperation } from '../../core/schema/batch-request.js';
import { createOperationRequest, createUndoRequest } from './batch-request.js';

const batch: BatchHeader = {
  ...{ id: 'batch-x', name: 'x', workspace: 'default', actor: 'ann', parallel: 4, accounts: {}, priority: 3 },
  ...{ onFailure: 'keep', onTimeout: 'ask', timing: { healthMs: 1 } },
};
const plain: BatchOperation = { name: 'a', kind: 'taskserv', verb: 'ensure', infra: 'shop', stage: 0, accounts: [] };
const requestWith = (more: Partial<BatchOperation>, header = batch) =>
  createOperationRequest(header, { index: 1, generation: 1, operation: { ...plain, ...more } });

test('an operation that says nothing of its manner follows its batch', () => {
  expect(requestWith({})).toEqual({
    ...{ id: 'batch-x-2', kind: 'taskserv', workspace: 'default', infra: 'shop', intent: { verb: 'ensure' }, priority: 3 },
    ...{ onFailure: 'keep', onTimeout: 'ask', timing: { healthMs: 1 }, actor: 'ann' },
    batch: { id: 'batch-x', index: 1, lingerMs: 4 },
  });
  expect(requestWith({}, { ...batch, onFailure: 'rollback-branch' }).onFailure).toBe('rollback');
});

test('the manner of an operation goes before that of its batch', () => {
  const manner = {
    ...{ onFailure: 'rollback-service', onTimeout: 'keep', priority: 1, approve: ['before-change'], timing: { retryMs: 2 } },
    environment: 'prod',
    ...{ update: { strategy: 'rolling' }, settings: { 'operation.priority': { value: 1, layer: 'user' } } },
  } satisfies Partial<BatchOperation>;
  expect(requestWith(manner)).toMatchObject(manner);
  const { approve: _, update: __, ...rest } = manner;
  const undo = createUndoRequest(batch, { index: 1, generation: 1, operation: { ...plain, ...manner } });
  expect([Object.keys(undo).includes('approve'), Object.keys(undo).includes('update'), undo]).toMatchObject([false, false, rest]);
});
