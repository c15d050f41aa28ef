import type { WorkerOptions } from '@temporalio/worker';

/**
 * Returns the worker options that identify its code. In a deployment a worker gets only work of its own version.
 * Operations stay on the version that started them, and all other work moves to the current one
 * (workflows/versioning.ts).
 */
export function deploymentOptions(deploymentName: string | undefined, buildId: string): Partial<WorkerOptions> {
  if (deploymentName === undefined) return { buildId };
  return {
    workerDeploymentOptions: {
      version: { deploymentName, buildId },
      useWorkerVersioning: true,
      defaultVersioningBehavior: 'AUTO_UPGRADE',
    },
  };
}
