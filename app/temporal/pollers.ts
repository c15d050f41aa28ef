import { hostname } from 'node:os';
import type { ConnectionLike } from '@temporalio/client';
import type { Poller, ServedEngine } from '../../core/engine/engine.js';
import { parseWorkerIdentity } from '../../core/names.js';
import { isRunning } from './is-running.js';

/** A poll lasts a minute at most; the service lists a poller for five minutes. */
export const LATELY_MS = 70_000;
const WORKFLOW_TASK_QUEUE = 1;

/**
 * Returns the workers that polled a task queue lately. Workers of this machine are included only if their process
 * runs.
 */
export async function countPollers(
  { workflowService }: Pick<ConnectionLike, 'workflowService'>,
  { namespace, taskQueue }: Pick<ServedEngine, 'namespace' | 'taskQueue'>,
): Promise<Poller[]> {
  const { pollers } = await workflowService.describeTaskQueue({
    namespace,
    taskQueue: { name: taskQueue },
    taskQueueType: WORKFLOW_TASK_QUEUE,
  });
  const seen = (pollers ?? []).map((poller) => ({
    identity: poller.identity ?? '',
    build: parseWorkerIdentity(poller.identity ?? '')?.build,
    lastSeen: new Date(Number(poller.lastAccessTime?.seconds ?? 0) * 1000).toISOString(),
  }));
  return seen.filter(({ identity, lastSeen }) => Date.now() - Date.parse(lastSeen) < LATELY_MS && mayLive(identity));
}

/** Only processes of this machine can be checked; workers elsewhere count as alive. */
function mayLive(identity: string): boolean {
  const worker = parseWorkerIdentity(identity);
  return worker === undefined || worker.hostname !== hostname() || isRunning(worker.pid);
}
