import { workScopeOf } from '../core/work-scope.js';
import { convergeServices, globalOrder } from './converge-services.js';
import type { Operation } from './operation.js';
import { planRolling, withDrains } from './rolling.js';
import {
  deleteMachines,
  deleteUnusedNetworks,
  lookAtMachines,
  makeMachines,
  previewMachines,
  refuseUnseenDestruction,
} from './server-phases.js';
import { decideServices, previewServices, removeServices } from './service-phases.js';
import { refuseOvertaken, takeBack } from './take-back.js';

/** What every operation does, whatever its kind: make things what they are wanted to be, or take an earlier operation back. */
export async function runbook(operation: Operation): Promise<void> {
  return operation.request.intent.verb === 'rollback' ? rollBack(operation) : converge(operation);
}

/** The runbook of all operations; a narrower one finds its other phases empty. */
async function converge(operation: Operation): Promise<void> {
  const { request, progress } = operation;
  const work = workScopeOf(request, operation.inventory);
  const asking = lookAtMachines(operation, work);
  const decisions = await decideServices(operation, work, asking);
  const machines = await asking;
  const rolling = await planRolling(operation, work, machines.servers, decisions, globalOrder(work));
  progress.plan = withDrains(rolling, [...previewMachines(operation, machines, work), ...previewServices(decisions)]);
  progress.steps.planned = progress.plan.length;
  if (request.check) return;
  refuseUnseenDestruction(operation);
  await rememberDefinition(operation);
  await removeServices(operation, work, decisions);
  await makeMachines(operation, work, machines);
  await convergeServices(operation, work, decisions, rolling);
  await deleteMachines(operation, work);
  await deleteUnusedNetworks(operation);
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
  const { left, compensations: remaining } = await takeBack(operation, compensations);
  operation.compensations.push(...remaining.reverse());
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
