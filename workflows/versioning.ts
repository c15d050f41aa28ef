import { setWorkflowOptions, workflowInfo } from '@temporalio/workflow';
import * as workflows from './all.js';

type Workflow = (...args: never[]) => Promise<unknown>;

/**
 * In a fleet with Worker Versioning an operation ends on the code that began it.
 * What is not pinned comes along to the current version: entities live for
 * years, and what began before the fleet had versions belongs to none.
 */
const pinned = (operation: Workflow) =>
  setWorkflowOptions(
    // The server refuses a behaviour from a worker without versions.
    () => (workflowInfo().currentDeploymentVersion?.deploymentName ? { versioningBehavior: 'PINNED' } : {}),
    operation,
  );

const { infra: _entity, ...operations } = workflows;
for (const operation of Object.values<Workflow>(operations)) pinned(operation);
