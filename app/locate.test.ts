import { expect, test } from 'vitest';
import type { Engine } from './engine.js';
import { locate } from './locate.js';

/** Emulates Temporal with operations in the workspace w, and counts its descriptions. */
function fakeTemporal() {
  const asked = { described: 0 };
  const keyword = { data: Buffer.from(JSON.stringify(['w'])) };
  const describeWorkflowExecution = async () => {
    asked.described++;
    return { workflowExecutionInfo: { searchAttributes: { indexedFields: { ProvisioningWorkspace: keyword } } } };
  };
  const temporal = { workflowService: { describeWorkflowExecution }, options: { namespace: 'n' } };
  return { temporal: temporal as unknown as Engine['temporal'], asked };
}

test('the place of an operation is asked once, also if each call has an engine of its own', async () => {
  const { temporal, asked } = fakeTemporal();
  for (const _ of [1, 2, 3]) {
    const located = await locate({ temporal } as Engine, { type: 'Operation', id: 'op' });
    expect(located).toEqual({ type: 'Operation', id: 'op', tenant: '', workspace: 'w' });
  }
  expect(asked.described).toBe(1);
  await locate({ temporal: fakeTemporal().temporal } as Engine, { type: 'Operation', id: 'op' });
  await locate({ temporal } as Engine, { type: 'Operation', id: 'other' });
  expect(asked.described).toBe(2);
});
