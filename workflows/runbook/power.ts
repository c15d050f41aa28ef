import { ownTables } from '../../core/infra/inventory.js';
import {
  listInstalled,
  markSwitched,
  type PowerChange,
  type PowerVerb,
  powerChangeOf,
  powerScopeOf,
  powerTargets,
  powerTitle,
} from '../../core/operation/power.js';
import type { Drain } from '../../core/operation/to-undo.js';
import type { WorkScope } from '../../core/operation/work-scope.js';
import type { PlannedStep } from '../../core/plan/planned-step.js';
import { decideApproved } from '../operation/approval.js';
import { OperationStopped } from '../operation/failures.js';
import type {
  ActivityUser,
  AnyPhase,
  AttemptRunner,
  ControlUser,
  DecisionState,
  ProgressView,
  Recording,
} from '../operation/operation.js';
import { type DrainOperation, leaveToChecks, listLeavingSteps, takeOut } from '../rollout/draining.js';
import { addDrains, planRolling, type RollingUpdate, resumeRolling } from '../rollout/rolling.js';
import { runDrained } from './drained.js';
import { checkSpare, takeTurn } from './leaving/leaving.js';
import { scopeOf } from './scope-of.js';
import { remember, verifyOne } from './service-health.js';
import { listStarts, type Starts, switchOff, switchOffAndOn, switchOn, waitForEntry, waitForSpare } from './switching.js';

/** Switches machines, and proves their services healthy after it. */
type SwitchingPower = AnyPhase &
  Recording &
  DrainOperation &
  AttemptRunner &
  DecisionState &
  ControlUser<'go'> &
  ActivityUser<'powerOff' | 'powerOn' | 'serverReady' | 'verify' | 'planLeave'>;

interface Decided {
  work: WorkScope;
  changes: PowerChange[];
  rolling: RollingUpdate;
}

const STOPPED = 'the operation stopped before';

/**
 * Starts, stops or restarts machines. All are looked at before any is touched. Those to be
 * restarted go wave by wave, as a change of machines does; those to be started or stopped side by side. Members of one
 * group go one after the other, each while the others can do without it, and after those that were off.
 */
export async function switchServers(
  operation: SwitchingPower & ControlUser<'askApproval'> & ActivityUser<'lookAtPower' | 'planDrains'>,
  verb: PowerVerb,
): Promise<void> {
  const { work, changes, rolling } = decidedBefore(operation) ?? (await decideApproved(operation, () => decide(operation, verb)));
  if (operation.request.check) return;
  const nothing = { machines: { servers: [], networks: [] }, decisions: [] };
  operation.decided ??= { ...nothing, before: ownTables(operation.inventory), switches: changes, drains: rolling.drains };
  const starts = listStarts(operation, work, changes);
  const change = (one: PowerChange): Promise<void> => {
    if (one.action === 'none') return leave(operation, verb, one);
    if (one.action === 'stop') return stop(operation, work, { change: one, stops: listOff(changes) }, rolling);
    return one.action === 'restart'
      ? restart(operation, work, { change: one, starts }, rolling)
      : start(operation, work, one, starts);
  };
  const changeOnce = async (one: PowerChange): Promise<void> => {
    try {
      await operation.continuation.once(`power/${one.server}`, () => change(one));
    } finally {
      starts.get(one.server)?.enter();
      starts.get(one.server)?.settle();
      rolling.leave({ server: one.server });
    }
  };
  await runDrained(changes.map((one) => () => changeOnce(one)));
}

/** Decision of a former run of the operation. */
function decidedBefore(operation: SwitchingPower): Decided | undefined {
  const { request, submitted, decided } = operation;
  if (!decided?.switches) return undefined;
  const { before, switches: changes, drains } = decided;
  const work = powerScopeOf(request, before, powerTargets(request, before));
  const then = { request, submitted, inventory: before };
  return { work, changes, rolling: resumeRolling(operation, then, work, machinesOf(changes), [], [], drains) };
}

/** Those that are interrupted, as changes of machines. */
const machinesOf = (changes: PowerChange[]) =>
  changes
    .filter(({ action }) => action === 'stop' || action === 'restart')
    .map(({ server }) => ({ server, action: 'update' as const, changes: [], volumes: [] }));

async function decide(
  operation: AnyPhase & DrainOperation & DecisionState & ActivityUser<'lookAtPower' | 'planDrains' | 'planLeave'>,
  verb: PowerVerb,
): Promise<Decided> {
  const { request, inventory, progress } = operation;
  const targets = powerTargets(request, inventory);
  const work = powerScopeOf(request, inventory, targets);
  const providers = [...new Set(targets.map(({ provider }) => provider))].sort();
  const found = await Promise.all(
    providers.map((provider) => {
      const servers = targets.filter((one) => one.provider === provider).map(({ name }) => name);
      const summary = `See which servers run at ${provider}`;
      return operation.activities.lookAtPower.executeWithOptions({ summary }, [
        { scope: scopeOf(operation), provider, servers, verb },
      ]);
    }),
  );
  const byName = new Map(found.flat().map((one) => [one.server, powerChangeOf(verb, one)]));
  const changes = targets.flatMap(({ name }) => byName.get(name) ?? []);
  await refuseUnspared(operation, work, changes);
  const rolling = await planRolling(operation, work, machinesOf(changes), [], []);
  // Taken out where it is about to be off itself, it could not be told.
  const off = new Set(changes.flatMap(({ server, action }) => (action === 'stop' ? [server] : [])));
  const drains = rolling.drains.filter(({ server }) => !off.has(server));
  const around: RollingUpdate = {
    ...rolling,
    drains,
    drainsOf: (target) => rolling.drainsOf(target).filter(({ server }) => !off.has(server)),
  };
  const inOrder = [...changes].sort((one, other) => Number(other.action === 'start') - Number(one.action === 'start'));
  progress.plan = inOrder.flatMap((change) => linesOf(change, around));
  progress.steps.planned = progress.plan.length;
  return { work, changes, rolling: around };
}

/** Servers that are off when all that stop have stopped: also those that were off before. Empty if none stops. */
export const listOff = (changes: readonly PowerChange[]): string[] =>
  changes.some(({ action }) => action === 'stop')
    ? changes.flatMap(({ server, action }) => (action === 'stop' || action === 'none' ? [server] : []))
    : [];

/**
 * Refuses, before anything is switched, what groups cannot do without. All members of one may stop together. Those that are
 * off start before others restart, and count.
 */
async function refuseUnspared(
  operation: AnyPhase & DecisionState & ActivityUser<'planLeave'>,
  work: WorkScope,
  changes: readonly PowerChange[],
): Promise<void> {
  const stops = listOff(changes);
  const comes = changes.flatMap(({ server, action }) => (action === 'start' ? [server] : []));
  for (const { server, action } of changes) {
    if (action !== 'stop' && action !== 'restart') continue;
    const checked = checkSpare(operation, work, { server, ...(action === 'stop' ? { stops } : { comes }) });
    if (checked) await checked;
  }
}

function linesOf({ server, action }: PowerChange, rolling: RollingUpdate): PlannedStep[] {
  if (action === 'none') return [];
  const change = action === 'start' ? ('add' as const) : ('interrupt' as const);
  const line = { on: server, title: powerTitle(action, server), change };
  if (action !== 'stop') return addDrains(rolling, [line]);
  const stepsOf = (steps: (drain: Drain) => Drain['drain']) =>
    rolling.drainsOf({ server }).flatMap((drain) =>
      steps(drain).map(
        (step): PlannedStep => ({
          ...{ on: drain.server, taskserv: drain.taskserv, for: drain.target.server },
          ...{ title: step.title, step, change: 'interrupt' },
        }),
      ),
    );
  return [...stepsOf(({ drain }) => drain), line, ...stepsOf(listLeavingSteps)];
}

/** It is so already; the inventory may not know. */
async function leave(
  operation: AnyPhase & Recording & ProgressView,
  verb: PowerVerb,
  { server, id, connection }: PowerChange,
): Promise<void> {
  const known = operation.inventory.servers[server];
  operation.show({ server, state: 'unchanged' });
  if (!known || (verb === 'stop') === (known.stopped !== undefined)) return;
  const now = verb === 'stop' ? markSwitched(known, operation.request.id) : { ...markSwitched(known), id, connection };
  await operation.record({ change: 'server', server: now });
}

async function stop(
  operation: SwitchingPower,
  work: WorkScope,
  { change: { server }, stops }: { change: PowerChange; stops: string[] },
  rolling: RollingUpdate,
): Promise<void> {
  const step = powerTitle('stop', server);
  const drains = rolling.drainsOf({ server });
  const switchNow = async (isLater: boolean) => {
    const checked = checkSpare(operation, work, { server, stops, isLater });
    if (checked) await checked;
    await takeOut(operation, drains);
    operation.show({ server, state: 'running', step });
    const { provider } = operation.inventory.servers[server] ?? {};
    const noted = operation.compensations.some((one) => one.undo === 'start-server' && one.server === server);
    if (provider && !noted) operation.compensations.push({ undo: 'start-server', server, provider });
    await switchOff(operation, server);
    await leaveToChecks(operation, drains);
    operation.executed(1);
    operation.show({ server, state: 'done', step });
  };
  await takeTurn(operation, work, { server }, (isLater) => operation.attempt({ step, on: server }, () => switchNow(isLater)));
}

async function start(operation: SwitchingPower, work: WorkScope, { server }: PowerChange, starts: Starts): Promise<void> {
  const step = powerTitle('start', server);
  await operation.attempt({ step, on: server }, async () => {
    operation.show({ server, state: 'running', step });
    await switchOn(operation, server);
    starts.get(server)?.enter();
    await serveAgain(operation, work, server);
    operation.executed(1);
    operation.show({ server, state: 'done', step });
  });
}

async function restart(
  operation: SwitchingPower,
  work: WorkScope,
  { change: { server }, starts }: { change: PowerChange; starts: Starts },
  rolling: RollingUpdate,
): Promise<void> {
  const target = { server };
  const step = powerTitle('restart', server);
  const ask = rolling.policyOf(target)?.pauseOnFailure;
  const restarted = `restarted/${server}`;
  const isLater = !operation.stopped && (await rolling.enter(target));
  if (operation.stopped) return operation.show({ server, state: 'skipped', step: STOPPED });
  if (isLater) operation.continuation.leaveToNextRun();
  const restartNow = async (isNext: boolean) => {
    const { continuation } = operation;
    try {
      const checked = continuation.has(restarted) ? undefined : waitForSpare(operation, work, { server, isLater: isNext }, starts);
      if (checked) await checked;
      await rolling.outOfService(target, async () => {
        operation.show({ server, state: 'running', step });
        // If it started and only its services did not, a retry only looks again.
        if (!continuation.has(restarted) && !(await switchOffAndOn(operation, server))) return;
        continuation.settle(restarted);
        await waitForEntry(operation, server);
        await serveAgain(operation, work, server);
      });
    } catch (error) {
      rolling.hold(target);
      throw error;
    }
    if (!continuation.has(restarted)) return operation.show({ server, state: 'skipped', step: STOPPED });
    operation.executed(1);
    operation.show({ server, state: 'done', step });
  };
  await takeTurn(operation, work, target, (isNext) => operation.attempt({ step, on: server, ask }, () => restartNow(isNext)));
}

/** Waits until the services that were installed on a server are healthy again. */
async function serveAgain(
  operation: AnyPhase & Recording & ProgressView & ActivityUser<'verify'>,
  work: WorkScope,
  name: string,
): Promise<void> {
  const known = operation.inventory.servers[name];
  if (!known) return;
  const server = { ...known.spec, taskservs: [] };
  for (const spec of listInstalled(known, work)) {
    const at = { server: name, taskserv: spec.name };
    const verdict = await verifyOne(operation, work, server, spec, true);
    await remember(operation, server, spec, verdict);
    operation.show({ ...at, state: verdict.healthy ? 'unchanged' : 'failed', ...(verdict.why ? { step: verdict.why } : {}) });
    if (verdict.healthy) continue;
    throw new OperationStopped({
      step: 'Check the health',
      on: `${name}/${spec.name}`,
      why: verdict.why ?? 'the service is not healthy',
      code: 'unhealthy',
      exitCode: 1,
      hint: `provisioning server ssh ${name}`,
    });
  }
}
