import type { OperationRequest, OperationResult } from '../core/operation.js';
import { workScopeOf } from '../core/work-scope.js';
import { type Operation, runOperation } from './operation.js';
import {
  deleteMachines,
  deleteUnusedNetworks,
  lookAtMachines,
  makeMachines,
  previewMachines,
  refuseUnseenDestruction,
} from './server-phases.js';
import { convergeServices, decideServices, previewServices, removeServices } from './service-phases.js';
import { refuseOvertaken, takeBack } from './take-back.js';

/** Makes a whole infra what its definition says: machines, then services across hosts, then health. Or takes it all away. */
export async function cluster(request: OperationRequest): Promise<OperationResult> {
  return runOperation(request, carryOut);
}

/** What an operation of any kind does: take back an earlier one, or make things as they are wanted. */
export const carryOut = (operation: Operation): Promise<void> =>
  operation.request.intent.verb === 'rollback' ? rollBack(operation) : converge(operation);

/** The runbook of all operations; a narrower one finds its other phases empty. */
async function converge(operation: Operation): Promise<void> {
  const { request, progress } = operation;
  const work = workScopeOf(request, operation.inventory);
  const asking = lookAtMachines(operation, work);
  const decisions = await decideServices(operation, work, asking);
  const machines = await asking;
  progress.plan = [...previewMachines(machines, work), ...previewServices(decisions)];
  progress.steps.planned = progress.plan.length;
  if (request.check) return;
  refuseUnseenDestruction(operation);
  await rememberDefinition(operation);
  await removeServices(operation, work, decisions);
  await makeMachines(operation, work, machines);
  await convergeServices(operation, work, decisions);
  await deleteMachines(operation, work);
  if (request.kind === 'cluster') await deleteUnusedNetworks(operation);
  if (request.kind === 'cluster' && request.intent.verb === 'delete') await forgetInfra(operation);
}

async function rememberDefinition(operation: Operation): Promise<void> {
  const { request, inventory } = operation;
  if (!request.definition || JSON.stringify(request.definition) === JSON.stringify(inventory.definition)) return;
  operation.compensations.push({ undo: 'definition', definition: inventory.definition });
  await operation.record({ change: 'definition', definition: request.definition });
}

async function forgetInfra(operation: Operation): Promise<void> {
  const { workspace, infra, uuid } = operation.inventory;
  await operation.activities.forgetKeys({ scope: { workspace, infra, uuid } });
  await operation.record({ change: 'definition', definition: undefined });
}

/** Takes back an operation that has ended, with what it left to be taken back. */
async function rollBack(operation: Operation): Promise<void> {
  const compensations = operation.request.intent.compensations ?? [];
  operation.progress.steps.planned = compensations.length;
  refuseOvertaken(operation, compensations);
  if (operation.request.check) return;
  const left = await takeBack(operation, compensations);
  operation.executed(compensations.length - left.length);
  operation.progress.left = left;
  if (left.length > 0)
    operation.progress.error = {
      step: 'take back',
      on: operation.request.infra,
      why: `${left.length} things are left`,
      code: 'left',
      exitCode: 1,
    };
}
