import type { WorkerOptions } from '@temporalio/worker';

/**
 * How a worker says which code it runs. In a deployment it gets only work of its
 * own version: operations stay on the one that began them, all else moves on to
 * the current one (workflows/versioning.ts).
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
