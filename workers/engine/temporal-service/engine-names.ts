import type { EngineRecord } from '../../../core/engine/engine.js';
import { DEFAULT_NAMESPACE, taskQueueOf } from '../../../core/names.js';

type Names = Pick<EngineRecord, 'namespace' | 'taskQueue' | 'deployment' | 'ui'>;

/**
 * What a settled environment calls an engine.
 *
 * @param setUp its id: the queue goes with the keys, so that whoever has them can do the work, and nobody else gets it
 * @param namespace of the service, where it says one
 */
export const engineNames = (env: NodeJS.ProcessEnv, setUp: string, namespace?: string): Names => ({
  namespace: env.PROVISIONING_NAMESPACE || namespace || DEFAULT_NAMESPACE,
  taskQueue: env.PROVISIONING_TASK_QUEUE || taskQueueOf(setUp),
  /** Of a service that is configured; a home's own engine has its own. */
  ui: env.PROVISIONING_UI_URL,
  deployment: env.PROVISIONING_DEPLOYMENT || undefined,
});
