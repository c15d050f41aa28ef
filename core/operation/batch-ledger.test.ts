import { describe, expect, it } from 'vitest';
import { findFailedBranch } from '../../activities/batch/batch-branch.js';
import type { BatchOperation } from '../schema/batch-request.js';
import { compact, includes } from './batch.js';
import { BatchLedger } from './batch-ledger.js';

const operation = (name: string, needs: number[] = [], after: number[] = [], stage = 0): BatchOperation => ({
  name,
  kind: 'server',
  verb: 'ensure',
  infra: 'x',
  needs,
  after,
  stage,
  accounts: ['demo'],
});

describe('the books of a batch', () => {
  it('lets begin what has its hard dependencies done and its soft ones over', () => {
    const ledger = new BatchLedger('....');
    ledger.load(0, [operation('a'), operation('b', [0], [], 1), operation('c', [], [0], 1), operation('d', [1, 2], [], 2)]);
    expect(ledger.ready(9, 3)).toEqual([0]);
    ledger.set(0, 'running');
    expect([ledger.ready(9, 3), ledger.onAccount('demo')]).toEqual([[], 1]);
    ledger.set(0, 'failed');
    expect([ledger.ready(9, 3), ledger.onAccount('demo')]).toEqual([[2], 0]);
    expect([ledger.skipHopeless(), ledger.skipHopeless(), ledger.skipHopeless()]).toEqual([2, 0, 0]);
    expect(ledger.marks).toBe('fs.s');
  });

  it('holds stages back, and goes on from what it wrote', () => {
    const ledger = new BatchLedger('d.');
    ledger.load(0, [operation('a'), operation('b', [0], [], 1)]);
    expect([ledger.ready(1, 3), ledger.ready(2, 3)]).toEqual([[], [1]]);
    expect(new BatchLedger(ledger.marks).count('done', 'waiting')).toBe(2);
  });

  it('writes runs of indices in short', () => {
    expect(compact([0, 1, 2, 5, 7, 8])).toEqual([[0, 2], 5, [7, 8]]);
    expect([includes([[0, 2], 5], 1), includes([[0, 2], 5], 4)]).toEqual([true, false]);
  });

  it('finds what was done for the failed one alone', () => {
    // base → a → b (failed); base → c (done)
    const all = [operation('base'), operation('a', [0]), operation('b', [1]), operation('c', [0])];
    expect(findFailedBranch(all, 'ddfd')).toEqual([1]);
    expect(findFailedBranch(all, 'ddfs')).toEqual([[0, 1]]);
  });
});
