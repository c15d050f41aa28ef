import { setWorkflowOptions, workflowInfo } from '@temporalio/workflow';
import * as workflows from './all.js';

type Workflow = (...args: never[]) => Promise<unknown>;

/**
 * With Worker Versioning in a fleet, an operation ends on the code that began it. Workflows without a pin move to the
 * current version: entities live for years, and runs from before the fleet's versions belong to none.
 */
const pinned = (operation: Workflow) =>
  setWorkflowOptions(
    // The server refuses a behaviour from a worker without versions.
    () => (workflowInfo().currentDeploymentVersion?.deploymentName ? { versioningBehavior: 'PINNED' } : {}),
    operation,
  );

const { infra: _entity, ...operations } = workflows;
for (const operation of Object.values<Workflow>(operations)) pinned(operation);
