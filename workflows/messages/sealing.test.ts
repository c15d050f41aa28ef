import type { UpdateInput, WorkflowInboundCallsInterceptor } from '@temporalio/workflow';
import { expect, test, vi } from 'vitest';
import { messageFor } from '../../app/temporal/sealed-client.js';
import { interceptors } from './sealing.js';

const [inbound = {}] = interceptors().inbound as Required<WorkflowInboundCallsInterceptor>[];

test('an update that comes again is taken as done, though the workflow would refuse it by now', async () => {
  const id = 'stop-1';
  const input = {
    name: 'stop',
    updateId: id,
    args: [messageFor('update', 'stop', ['ada'], id)],
    headers: {},
  } satisfies UpdateInput;
  const { validateUpdate, handleUpdate } = inbound as Required<WorkflowInboundCallsInterceptor>;
  const judge = vi.fn();
  const work = vi.fn(async () => 'stopped');
  validateUpdate(input, judge);
  expect(await handleUpdate(input, work)).toBe('stopped');
  expect(judge.mock.calls).toEqual([[{ ...input, args: ['ada'] }]]);

  judge.mockImplementation(() => {
    throw new Error('already-stopping');
  });
  validateUpdate(input, judge);
  expect(await handleUpdate(input, work)).toBeUndefined();
  expect(work).toHaveBeenCalledTimes(1);
  // Another one is judged.
  const other = { ...input, updateId: 'stop-2', args: [messageFor('update', 'stop', ['ada'], 'stop-2')] };
  expect(() => validateUpdate(other, judge)).toThrow('already-stopping');
});
