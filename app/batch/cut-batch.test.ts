import type { Client } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import { SEARCH_ATTRIBUTES } from '../../core/names.js';
import { type BatchMark, type BatchState, batchOperationId, MARKS } from '../../core/operation/batch.js';
import { cutShort, readKnownWorkflows, workOnEach } from './cut-batch.js';

/** State of a workflow, as Temporal describes it: its end, and its own report. */
type Described = [name: string, said?: string];

/** Creates a client that knows only these workflows. */
function temporalOf(known: Record<string, Described>): Client & { asked: string[] } {
  const asked: string[] = [];
  const describe = async (id: string) => {
    asked.push(id);
    if (id === 'broken') throw new Error('the server fails');
    const found = known[id];
    if (!found) throw new WorkflowNotFoundError('not found', id, undefined);
    const [name, said] = found;
    return { status: { name }, searchAttributes: said === undefined ? {} : { [SEARCH_ATTRIBUTES.status]: [said] } };
  };
  const workflow = { getHandle: (id: string) => ({ describe: () => describe(id) }) };
  return { workflow, asked } as unknown as Client & { asked: string[] };
}

const stateOf = (mark: BatchMark): BatchState => ({
  ...{ batch: 'b', name: 'b', workspace: 'w', status: 'running', onFailure: 'keep', parallel: 1, accounts: {} },
  ...{ operations: 2, pageSize: 2, pages: [], stages: [2], again: {}, why: {}, undecided: [1], waiting: 'failure' },
  ...{ marks: `${MARKS[mark]}${MARKS.waiting}`, approved: 1, control: [], continued: 0, actor: 'ann' },
});

describe('an operation of a batch that was cut short is marked by how its workflow stands', () => {
  test.each<[BatchMark, Described | undefined, BatchMark, string?]>([
    ['running', ['RUNNING'], 'running', 'it goes on without the batch'],
    ['running', ['PAUSED'], 'running', 'it goes on without the batch'],
    ['running', ['COMPLETED', 'done'], 'done'],
    ['running', ['FAILED', 'failed'], 'failed'],
    ['running', ['FAILED', 'superseded'], 'superseded'],
    ['running', ['FAILED', 'canceled'], 'canceled', 'it was canceled'],
    ['running', ['CANCELLED'], 'canceled', 'it was canceled'],
    ['running', ['TERMINATED'], 'failed'],
    ['running', ['TIMED_OUT'], 'failed'],
    ['running', undefined, 'canceled'],
    ['asking', ['RUNNING'], 'running', 'it goes on without the batch'],
    ['undoing', ['RUNNING'], 'undoing'],
    ['undoing', ['COMPLETED', 'done'], 'undone'],
    ['undoing', ['FAILED', 'failed'], 'left'],
    ['undoing', ['CANCELLED'], 'left'],
    ['undoing', undefined, 'done'],
    ['done', ['RUNNING'], 'done'],
    ['failed', ['RUNNING'], 'failed'],
    ['skipped', ['RUNNING'], 'skipped'],
  ])('%s, and the workflow is %j: %s', async (mark, described, expected, why) => {
    const id = batchOperationId('b', 0, 1, mark === 'undoing');
    const cut = await cutShort(temporalOf(described ? { [id]: described } : {}), stateOf(mark), 'TERMINATED');
    expect(cut.marks).toBe(`${MARKS[expected]}${MARKS.canceled}`);
    expect(cut.why).toEqual(why === undefined ? {} : { 0: why });
    expect(cut).toMatchObject({ status: 'failed', cut: 'it was terminated from outside', waiting: undefined, undecided: [] });
  });

  test('by the workflow of its last try', async () => {
    const temporal = temporalOf({ [batchOperationId('b', 0)]: ['FAILED', 'failed'], [batchOperationId('b', 0, 2)]: ['COMPLETED'] });
    const cut = await cutShort(temporal, { ...stateOf('running'), again: { 0: 2 } }, 'TIMED_OUT');
    expect(cut).toMatchObject({ marks: `${MARKS.done}${MARKS.canceled}`, cut: 'it ended without a word (timed_out)' });
  });
});

test('of workflows, those are known that are there, and what was there once is asked no more', async () => {
  const temporal = temporalOf({ a: ['RUNNING'], b: ['FAILED', 'failed'] });
  const known = readKnownWorkflows(temporal);
  expect([...(await known(['a', 'b', 'c']))].sort()).toEqual(['a', 'b']);
  expect([...(await known(['a', 'b', 'c']))].sort()).toEqual(['a', 'b']);
  expect(temporal.asked).toEqual(['a', 'b', 'c', 'c']);
  await expect(known(['broken'])).rejects.toThrow('the server fails');
});

test('work is done for each item once, at most twenty at a time', async () => {
  let at = 0;
  let most = 0;
  const done: number[] = [];
  await workOnEach(
    Array.from({ length: 50 }, (_, index) => index),
    async (item) => {
      most = Math.max(most, ++at);
      await new Promise((resolve) => setImmediate(resolve));
      at--;
      done.push(item);
    },
  );
  expect(done.sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, index) => index));
  expect(most).toBe(20);
});
