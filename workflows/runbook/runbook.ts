import { globalOrder } from '../../core/definition/service-order.js';
import { addressOf } from '../../core/infra/definition-log.js';
import { type Inventory, ownTables } from '../../core/infra/inventory.js';
import type { MachinePlan } from '../../core/operation/machine-plan.js';
import type { Progress } from '../../core/operation/operation.js';
import { isPowerVerb } from '../../core/operation/power.js';
import { type WorkScope, workScopeOf } from '../../core/operation/work-scope.js';
import type { PlannedStep } from '../../core/plan/planned-step.js';
import { addMoves } from '../moves/move-data.js';
import { decideApproved } from '../operation/approval.js';
import { InputChanged } from '../operation/failures.js';
import { refuseTooMany } from '../operation/fits-history.js';
import type {
  ActivityUser,
  AnyPhase,
  AttemptRunner,
  CompensationLog,
  DecisionState,
  Operation,
  Recording,
} from '../operation/operation.js';
import { type DrainOperation, undrainAll } from '../rollout/draining.js';
import { addInterrupted, rollMachines } from '../rollout/roll-machines.js';
import { addDrains, planRolling, type RollingUpdate, resumeRolling } from '../rollout/rolling.js';
import { switchOver } from '../rollout/switch-over.js';
import { convergeServices } from './converge-services.js';
import { lookAtMachines, previewMachines } from './decide-machines.js';
import { findDroppedMembers } from './grouped-hosts.js';
import { addLeaves } from './leaving/leaving.js';
import { mountVolumes } from './mount-volumes.js';
import { switchServers } from './power.js';
import { addDataMoves, listRanOnHosts, listSeenGroups, previewServices } from './preview-lines.js';
import { rollBack } from './roll-back-operation.js';
import type { ServerDecision } from './server-decision.js';
import { deleteMachines, deleteUnusedNetworks, makeMachines } from './server-phases.js';
import { decideServices, hostsToTell, removeServices } from './service-phases.js';

/** Runs any operation: it brings resources to their goals, switches machines or the lead of a group, or rolls back an earlier operation. */
export async function runbook(operation: Operation): Promise<void> {
  const { verb } = operation.request.intent;
  if (verb === 'rollback') return rollBack(operation);
  if (isPowerVerb(verb)) return switchServers(operation, verb);
  if (verb === 'switch-over') return switchOver(operation);
  for (;;) {
    try {
      return await converge(operation);
    } catch (error) {
      if (!(error instanceof InputChanged)) throw error;
      await undrainAll(operation);
      // Completed work needs no more steps in a new decision: the rest continues with the new input.
      operation.begin();
    }
  }
}

/** The runbook of all operations; a narrower one finds its other phases empty. */
async function converge(operation: Operation): Promise<void> {
  const { work, machines, decisions, rolling, before } = await decideOnce(operation);
  if (operation.request.check) return;
  await removeServices(operation, work, decisions);
  await makeMachines(operation, work, machines, rolling.rolls);
  const others = machines.servers.filter((change) => !rolling.rolls(change));
  const mounted = await mountVolumes(operation, work, others, decisions, before);
  await rollMachines(operation, work, machines, rolling, before);
  const rolled = machines.servers.filter(rolling.rolls).map(({ server }) => server);
  const told = hostsToTell(operation, work, machines, decisions);
  await convergeServices(operation, work, decisions, rolling, [...rolled, ...told, ...mounted]);
  await deleteMachines(operation, work);
  await deleteUnusedNetworks(operation);
  if (operation.request.kind === 'cluster' && operation.request.intent.verb === 'delete') await forgetInfra(operation);
}

/** Returns the decision that is applied from then on. A later run of the operation returns the former decision. */
async function decideOnce(operation: Operation): Promise<Decided & { before: Inventory['servers'] }> {
  const { decided } = operation;
  if (decided) {
    const { before, machines, decisions, drains } = decided;
    const then = { request: operation.request, submitted: operation.submitted, inventory: before };
    const work = addInterrupted(then, workScopeOf(operation.request, before), machines);
    const rolling = resumeRolling(operation, then, work, machines.servers, decisions, globalOrder(work), drains);
    return { work, machines, decisions, rolling, before: before.servers };
  }
  const fresh = await decideApproved(operation, () => decideAll(operation));
  if (operation.request.check) return { ...fresh, before: {} };
  const before = ownTables(operation.inventory);
  const { machines, decisions, rolling } = fresh;
  await rememberDefinition(operation);
  operation.decided = { before, machines, decisions, drains: rolling.drains };
  return { ...fresh, before: before.servers };
}

interface Decided {
  work: WorkScope;
  machines: MachinePlan;
  decisions: ServerDecision[];
  rolling: RollingUpdate;
}

/** Looks at everything there is, and writes the plan. */
type DecidingAll = AnyPhase &
  DecisionState &
  AttemptRunner &
  DrainOperation &
  ActivityUser<'planServers' | 'planKnown' | 'decide' | 'decideHosts' | 'planDrains' | 'planMove' | 'planLeave'>;

async function decideAll(operation: DecidingAll): Promise<Decided> {
  const { request, progress } = operation;
  const decide = async (): Promise<Decided> => {
    const asked = workScopeOf(request, operation.inventory);
    refuseTooMany(operation, new Set([...asked.ensureServices, ...asked.removeServices].map(({ server }) => server.name)).size);
    const asking = lookAtMachines(operation, asked);
    const first = await decideServices(operation, asked, asking);
    const machines = await asking;
    const work = addInterrupted(operation, asked, machines);
    const decisions = work === asked ? first : await decideServices(operation, work, asking);
    const rolling = await planRolling(operation, work, machines.servers, decisions, globalOrder(work));
    return { work, machines, decisions, rolling };
  };
  const at =
    operation.changes === 0
      ? { step: 'Decide what to do', on: request.infra, required: true, onlyTimeouts: true }
      : { step: 'Decide with the changed input', on: request.infra, required: true };
  const decided = (await operation.attempt(at, decide)) as Decided;
  const { work, machines, decisions, rolling } = decided;
  const former = operation.changes === 0 ? [] : doneOf(progress);
  const services = await addMoves(operation, work, addDataMoves(operation, work, machines, previewServices(decisions)));
  const changes = await addLeaves(operation, work, machines, [...previewMachines(operation, machines, work), ...services]);
  const lines = addDrains(rolling, changes);
  progress.plan = [...former, ...lines];
  const ran = listRanOnHosts(decisions);
  if (ran.length > 0) progress.ran = ran;
  const groups = listSeenGroups(decisions);
  if (groups.length > 0) progress.groups = groups;
  progress.steps.planned = progress.plan.length - former.length + progress.steps.executed;
  return decided;
}

/** The lines of the plan that were done before the input changed. */
function doneOf({ plan, cells }: Progress): PlannedStep[] {
  const isDone = ({ on, taskserv }: PlannedStep) =>
    cells.some((cell) => cell.server === on && cell.taskserv === taskserv && cell.state === 'done');
  return plan.filter((line) => line.on.startsWith('network/') || isDone(line));
}

/** Says that the operation applies its definition: from now on it is the last applied one. */
async function rememberDefinition(operation: AnyPhase & Recording & CompensationLog): Promise<void> {
  const { request, inventory } = operation;
  if (!request.definition) return rememberBrought(operation);
  // Reported together with the next change: nothing depends on it before the end of the operation.
  operation.recordSoon({ change: 'received', submitted: operation.submitted });
  if (JSON.stringify(request.definition) === JSON.stringify(inventory.definition)) return;
  const applied = addressOf(request.definition);
  operation.compensations.push({ undo: 'definition', definition: inventory.definition, applied });
  const dropped = findDroppedMembers(inventory, request.definition, request.id);
  await operation.record({ change: 'definition', definition: request.definition }, ...dropped);
}

/**
 * The same for a definition that a batch brought to the infra. If it is in force and requests nothing, others applied
 * it.
 */
function rememberBrought(operation: AnyPhase & Recording & CompensationLog): void {
  const { applies, progress } = operation;
  if (!applies) return;
  operation.recordSoon({ change: 'received', submitted: operation.submitted });
  if (applies.inForce && progress.steps.planned === 0) return;
  operation.compensations.push({ undo: 'definition', applied: applies.hash, member: true });
  operation.recordSoon({ change: 'definition-applied', hash: applies.hash });
}

async function forgetInfra(operation: AnyPhase & Recording & ActivityUser<'forgetKeys'>): Promise<void> {
  const { workspace, infra, uuid } = operation.inventory;
  await operation.activities.forgetKeys({ scope: { workspace, infra, uuid } });
  await operation.record({ change: 'definition', definition: undefined }, { change: 'received', submitted: operation.submitted });
}
