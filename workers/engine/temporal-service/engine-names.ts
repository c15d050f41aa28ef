import type { EngineRecord } from '../../../core/engine/engine.js';
import { DEFAULT_NAMESPACE, taskQueueOf } from '../../../core/names.js';

type Names = Pick<EngineRecord, 'namespace' | 'taskQueue' | 'deployment' | 'ui'>;

/**
 * Returns the names of an engine from a resolved environment.
 *
 * @param setUp its id: the queue follows the keys, so that only workers with the keys get the work
 * @param namespace of the service, if it names one
 */
export const engineNames = (env: NodeJS.ProcessEnv, setUp: string, namespace?: string): Names => ({
  namespace: env.PROVISIONING_NAMESPACE || namespace || DEFAULT_NAMESPACE,
  taskQueue: env.PROVISIONING_TASK_QUEUE || taskQueueOf(setUp),
  /** For a configured service; a home's own engine has its own. */
  ui: env.PROVISIONING_UI_URL,
  deployment: env.PROVISIONING_DEPLOYMENT || undefined,
});
