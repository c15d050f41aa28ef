import { execa } from 'execa';
import { readRecord } from '../../workers/engine/record.js';
import type { TestEngine } from './engine.js';

/** Terminates a workflow as people do it from outside: with Temporal's own command line. */
export async function terminateFromOutside({ home }: TestEngine, workflowId: string): Promise<void> {
  const record = await readRecord(home);
  if (!record?.server) throw new Error('no engine of its own runs');
  const where = ['--address', record.address, '--namespace', record.namespace];
  const what = ['workflow', 'terminate', ...where, '--workflow-id', workflowId, '--reason', 'from outside'];
  await execa(record.server.binary, what, { stdin: 'ignore', timeout: 30_000 });
}
