import type { Connection } from '@temporalio/client';
import { expect, test } from 'vitest';
import { inputError } from '../../../core/errors.js';
import type { Cipher } from '../../../encryption/cipher.js';
import { collectReferences } from './references.js';

/** Creates a stored payload. Its reference is sealed with the test's own key, or with another key. */
const stored = (sha256: string, key: 'ours' | 'theirs') => ({
  metadata: { encoding: Buffer.from('binary/stored-encrypted'), 'encryption-place': Buffer.from('there') },
  data: Buffer.from(JSON.stringify({ sha256, key })),
});
const cipher = {
  async open(data: Uint8Array) {
    if (!String(data).includes('theirs')) return data;
    throw inputError({ code: 'unknown-encryption-key', what: 'open', why: 'no such encryption key exists' });
  },
} as unknown as Cipher;

/** Collects the references in the histories of these workflows, in a namespace that others use too. */
async function found(workflows: { taskQueue: string; refersTo: ReturnType<typeof stored>[] }[]): Promise<string[]> {
  const executions = workflows.map(({ taskQueue }, index) => ({ taskQueue, execution: { workflowId: `${index}` } }));
  const workflowService = {
    listWorkflowExecutions: async ({ query }: { query?: string }) => ({ executions: query ? [] : executions }),
    describeWorkflowExecution: async () => ({}),
    getWorkflowExecutionHistory: async ({ execution }: { execution: { workflowId: string } }) => ({
      history: { events: workflows[Number(execution.workflowId)]?.refersTo },
    }),
  };
  const connection = { workflowService } as unknown as Connection;
  const { referred } = await collectReferences(connection, { namespace: 'team', taskQueue: 'ours', cipher }, () => {});
  return [...referred].sort();
}

test('what workflows of other queues refer to counts, too, unless it is sealed with a key of theirs', async () => {
  const beside = { taskQueue: 'another', refersTo: [stored('b', 'ours'), stored('c', 'theirs')] };
  expect(await found([{ taskQueue: 'ours', refersTo: [stored('a', 'ours')] }, beside])).toEqual(['a', 'b']);
  await expect(found([{ taskQueue: 'ours', refersTo: [stored('a', 'theirs')] }])).rejects.toMatchObject({
    details: { code: 'unknown-encryption-key' },
  });
});
