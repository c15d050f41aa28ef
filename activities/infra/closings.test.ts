import type { WorkflowExecutionInfo } from '@temporalio/client';
import { expect, test, vi } from 'vitest';
import { SEARCH_ATTRIBUTES } from '../../core/names.js';
import { createClosings, LATE_MS } from './closings.js';

const NOW = Date.parse('2026-11-28T12:00:00Z');

const closed = (workflowId: string, name = 'TERMINATED', ago = 1_000): WorkflowExecutionInfo =>
  ({
    workflowId,
    runId: `run of ${workflowId}`,
    status: { name },
    closeTime: new Date(NOW - ago),
    searchAttributes: { [SEARCH_ATTRIBUTES.infra]: ['shop'] },
  }) as unknown as WorkflowExecutionInfo;

/** A list that has these, and notes what it was asked. */
function listOf(answers: (WorkflowExecutionInfo[] | Error)[]) {
  const asked: string[] = [];
  async function* list(query: string) {
    const answer = answers[Math.min(asked.push(query), answers.length) - 1] ?? [];
    if (answer instanceof Error) throw answer;
    yield* answer;
  }
  return { list, asked };
}

const settled = (asked: string[], looks: number) => vi.waitFor(() => expect(asked.length).toBeGreaterThanOrEqual(looks), 30_000);

test('however many watch, one look tells all of them, and of each closing once', async () => {
  const { list, asked } = listOf([[closed('a')], [closed('a'), closed('b', 'FAILED')]]);
  const closings = createClosings(list, 'queue');
  const heard: string[][] = Array.from({ length: 100 }, () => []);
  const stops = heard.map((one) => closings.watch(NOW, (found) => void one.push(...found.map(({ workflow }) => workflow))));
  await settled(asked, 3);
  for (const stop of stops) stop();
  expect(asked.length).toBeLessThan(10);
  expect(heard).toEqual(Array.from({ length: 100 }, () => ['a', 'b']));
  // Some milliseconds may have gone by.
  const [, since = ''] =
    /^TaskQueue = 'queue' AND ExecutionStatus IN \('Terminated', 'TimedOut', 'Failed', 'Canceled'\) AND CloseTime >= '(.+)'$/.exec(
      asked[0] ?? '',
    ) ?? [];
  expect(Date.parse(since) - (NOW - LATE_MS)).toBeGreaterThanOrEqual(0);
});

test('who comes later hears of what closed within the last minute', async () => {
  const { list, asked } = listOf([[closed('a')], []]);
  const closings = createClosings(list, 'queue');
  const stop = closings.watch(NOW, () => {});
  await settled(asked, 2);
  const late: unknown[] = [];
  closings.watch(NOW, (found) => void late.push(...found))();
  stop();
  expect(late).toMatchObject([{ workflow: 'a', how: 'TERMINATED', infra: 'shop' }]);
});

test('a look that fails is made again from where it began', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const { list, asked } = listOf([[], new Error('away'), [closed('a')]]);
  const heard: string[] = [];
  const stop = createClosings(list, 'queue').watch(NOW, (found) => void heard.push(...found.map(({ workflow }) => workflow)));
  await settled(asked, 4);
  stop();
  expect(heard).toEqual(['a']);
  expect(asked[2]).toBe(asked[1]);
  expect(warn).toHaveBeenCalledWith('looking for workflows that closed: away');
  warn.mockRestore();
});
