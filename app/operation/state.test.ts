import { expect, test } from 'vitest';
import type { Cell } from '../../core/operation/operation.js';
import { ANSWER_BYTES } from '../../core/operation/progress-parts.js';
import type { Engine } from '../engine.js';
import { progressReader, waitWithoutCell } from './state.js';

const silent = 'no answer from web-1 since 2026-11-29T10:00:00.000Z';
const running = (cell: Partial<Cell>) => ({ status: 'running', cells: [{ server: 'web-1', state: 'running', ...cell }] }) as never;

test('a look without a cell says that a host does not answer, and then why it is tried again', () => {
  expect(waitWithoutCell(running({ state: 'pending' }), [{ server: 'web-1', silent }])).toBe(`web-1: ${silent}`);
  const again = { attempt: 2, why: 'cannot connect by SSH' };
  expect(waitWithoutCell(running({ state: 'pending' }), [{ server: 'web-1', again }])).toContain('2 attempts failed');
  // A cell at work says it itself.
  expect(waitWithoutCell(running({}), [{ server: 'web-1', silent }])).toBeUndefined();
  expect(waitWithoutCell(running({ state: 'pending' }), [{ server: 'web-1' }])).toBeUndefined();
});

test.each([
  ['RUNNING', 1],
  ['COMPLETED', 64],
])('an operation that is %s is asked for parts of %i MiB: to ask one that has ended replays its history', async (name, times) => {
  const asked: unknown[] = [];
  const handle = {
    describe: async () => ({ runId: 'run', historyLength: 7, status: { name }, raw: { pendingActivities: [] } }),
    query: async (...args: unknown[]) => {
      asked.push(args[2]);
      return { parts: [], whole: { head: { operation: 'op', status: 'done' }, lists: { cells: [] } } };
    },
  };
  const engine = { temporal: { options: { namespace: 'n' }, workflow: { getHandle: () => handle } } } as unknown as Engine;
  expect(await progressReader(engine, 'op')()).toMatchObject({ operation: 'op', status: 'done', cells: [] });
  expect(asked).toEqual([times * ANSWER_BYTES]);
});
