import type { Inventory } from '../../core/infra/inventory.js';
import type { MachinePlan, ServerChange } from '../../core/operation/machine-plan.js';
import type { WorkScope } from '../../core/operation/work-scope.js';
import type { StartState } from '../operation/operation.js';
import { type ConvergingServices, convergeOne } from '../runbook/converge-services.js';
import { runDrained } from '../runbook/drained.js';
import { findMemberSpecs, takeTurn } from '../runbook/leaving/leaving.js';
import { mountVolumes } from '../runbook/mount-volumes.js';
import { type MakingMachines, makeMachine } from '../runbook/server-phases.js';
import type { RollingUpdate } from './rolling.js';
import { interrupts } from './rolling-plan.js';

/**
 * Adds the services of machines that are about to be interrupted. An operation on servers checks their health, and
 * installs them again on a replaced machine.
 */
export function addInterrupted({ request, inventory }: StartState, work: WorkScope, { servers }: MachinePlan): WorkScope {
  if (request.kind !== 'server') return work;
  const interrupted = new Set(servers.filter(interrupts).map(({ server }) => server));
  const ensureServices = work.ensureServers.flatMap((server) => {
    const carried = inventory.servers[server.name]?.services ?? {};
    const taskservs = interrupted.has(server.name) ? server.taskservs.filter(({ name }) => carried[name]) : [];
    return taskservs.length > 0 ? [{ server, taskservs }] : [];
  });
  return ensureServices.length > 0 ? { ...work, ensureServices } : work;
}

/**
 * Changes machines in service, wave by wave: each is drained, changed or replaced, gets its services, is checked and
 * returns to service before the next wave.
 */
export async function rollMachines(
  operation: MakingMachines & ConvergingServices,
  work: WorkScope,
  { servers }: MachinePlan,
  rolling: RollingUpdate,
  before: Inventory['servers'],
): Promise<void> {
  const roll = async (change: ServerChange) => {
    try {
      await operation.continuation.once(`rolled/${change.server}`, () => rollMachine(operation, work, change, rolling, before));
    } finally {
      rolling.leave({ server: change.server });
    }
  };
  const changes = servers.filter(rolling.rolls);
  // A member that a former run interrupted serves again before another one is interrupted.
  const isBegun = ({ server }: ServerChange) =>
    operation.continuation.has(`machine/${server}`) && findMemberSpecs(operation, work.definition, server).length > 0;
  const begun = operation.continuation.resumed ? changes.filter(isBegun) : [];
  const inOrder = begun.length === 0 ? changes : [...begun, ...changes.filter((change) => !begun.includes(change))];
  await runDrained(inOrder.map((change) => () => roll(change)));
}

async function rollMachine(
  operation: MakingMachines & ConvergingServices,
  work: WorkScope,
  change: ServerChange,
  rolling: RollingUpdate,
  before: Inventory['servers'],
): Promise<void> {
  const target = { server: change.server };
  if (!operation.stopped) {
    operation.continuation.leaveToNextRun();
    const isLater = await rolling.enter(target);
    if (isLater && !operation.stopped) operation.continuation.leaveToNextRun();
  }
  if (operation.stopped) return operation.show({ ...target, state: 'skipped', step: 'the operation stopped before' });
  // Members of one group may have several roles, whose waves do not wait for each other.
  await takeTurn(operation, work, target, (isLater) =>
    rolling.outOfService(target, async () => {
      await makeMachine(operation, work, change, {
        ask: rolling.policyOf(target)?.pauseOnFailure,
        drains: rolling.drainsOf(target),
        turn: { isLater },
      });
      await mountVolumes(operation, work, [change], [], before);
      await serveAgain(operation, work, change.server, rolling);
    }),
  );
}

/** Gives a machine the services that it is to carry, in their order; the machine itself is what has its turn. */
async function serveAgain(operation: ConvergingServices, work: WorkScope, name: string, rolling: RollingUpdate): Promise<void> {
  if (!operation.inventory.servers[name]) return;
  const alone: RollingUpdate = {
    ...rolling,
    drainsOf: () => [],
    enter: async () => false,
    outOfService: (_, doWork) => doWork(),
    hold: () => {},
    leave: () => {},
  };
  const carried = work.ensureServices.find(({ server }) => server.name === name);
  for (const spec of carried?.taskservs ?? []) {
    if (!carried) return;
    await convergeOne(operation, work, carried.server, spec, {
      touched: new Set([name]),
      seen: undefined,
      rolling: alone,
      starting: true,
    });
  }
}
