import { afterEach, expect, test, vi } from 'vitest';
import type { Engine } from './engine.js';
import { locate } from './locate.js';
import { checkResultKind, rememberType } from './temporal/right-kind.js';

afterEach(() => vi.restoreAllMocks());

/** Emulates Temporal with operations in the workspace w, and counts its descriptions. */
function fakeTemporal() {
  const asked = { described: 0, workspace: 'w' };
  const asWorkspace = (name: string) => ({ data: Buffer.from(JSON.stringify([name])) });
  const describeWorkflowExecution = async () => {
    asked.described++;
    return {
      workflowExecutionInfo: { searchAttributes: { indexedFields: { ProvisioningWorkspace: asWorkspace(asked.workspace) } } },
    };
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

test('a place and a type are looked up again after an hour: Temporal may have forgotten the workflow, and run another one', async () => {
  const { temporal, asked } = fakeTemporal();
  const start = performance.now();
  const at = async () => (await locate({ temporal } as Engine, { type: 'Operation', id: 'deploy-42' })).workspace;
  Object.assign(temporal, { workflow: { getHandle: () => ({ describe: async () => ({ type: 'batch' }) }) } });
  rememberType(temporal, 'deploy-42', 'cluster');
  expect(await at()).toBe('w');
  asked.workspace = 'blog';
  expect(await at()).toBe('w');
  await checkResultKind(temporal, 'deploy-42', 'operation');
  vi.spyOn(performance, 'now').mockReturnValue(start + 3_700_000);
  expect(await at()).toBe('blog');
  await expect(checkResultKind(temporal, 'deploy-42', 'operation')).rejects.toMatchObject({
    details: { code: 'unknown-operation', why: 'it is a batch' },
  });
});
