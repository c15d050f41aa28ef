import { setWorkflowOptions, workflowInfo } from '@temporalio/workflow';
import { batch } from './batch/batch.js';
import { ask } from './inquiry/ask.js';
import { importServer } from './inquiry/import-server.js';
import { orphans } from './inquiry/orphans.js';
import { refresh } from './inquiry/refresh.js';
import { cluster } from './runbook/cluster.js';
import { server } from './runbook/server.js';
import { taskserv } from './runbook/taskserv.js';

/**
 * In a fleet with Worker Versioning an operation ends on the code that began it.
 * What is not named here comes along to the current version: entities live for
 * years, and what began before the fleet had versions belongs to none.
 */
const pinned = <A extends unknown[], R>(operation: (...args: A) => Promise<R>) =>
  setWorkflowOptions(
    // The server refuses a behaviour from a worker without versions.
    () => (workflowInfo().currentDeploymentVersion?.deploymentName ? { versioningBehavior: 'PINNED' } : {}),
    operation,
  );

pinned(ask);
pinned(batch);
pinned(cluster);
pinned(importServer);
pinned(orphans);
pinned(refresh);
pinned(server);
pinned(taskserv);
