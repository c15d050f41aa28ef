import { CancellationScope } from '@temporalio/workflow';
import type { ActInput } from '../../activities/service/bring.js';
import type { DecidedService } from '../../activities/service/decide.js';
import { configHash, same } from '../../core/encoding/hash.js';
import type { Step } from '../../core/host/step.js';
import type { Connection } from '../../core/machine/provider.js';
import type { MachinePlan, ServerChange } from '../../core/operation/machine-plan.js';
import type { Drain } from '../../core/operation/to-undo.js';
import type { WorkScope } from '../../core/operation/work-scope.js';
import { listShares } from '../../core/taskserv/groups/share.js';
import { planMoves } from '../moves/moves.js';
import { listDeclaredSecrets } from '../operation/declared-secrets.js';
import { isStepFailed } from '../operation/failures.js';
import type {
  ActivityUser,
  AnyPhase,
  AttemptRunner,
  CompensationLog,
  ControlUser,
  DecisionState,
  Operation,
  Pausable,
  ProgressView,
  Recording,
} from '../operation/operation.js';
import { type DecidingHost, decideOn, groupWorkByServer, listKnownVolumes, lookTogether, namesOf } from './decide-host.js';
import { runDrained } from './drained.js';
import { describeGroups } from './grouped-hosts.js';
import { mayHaveDisks } from './host-volumes.js';
import { leaveFirst, takeTurn } from './leaving/leaving.js';
import { countUnplanned, plansShare } from './preview-lines.js';
import type { StepsUndo } from './repairs.js';
import { scopeOf } from './scope-of.js';
import type { ServerDecision } from './server-decision.js';

/** Looks at hosts and decides. */
type Deciding = DecidingHost & ActivityUser<'decideHosts'>;

/** Has steps run on hosts. */
export type ActingOnHosts = AttemptRunner &
  AnyPhase &
  ProgressView &
  CompensationLog &
  Pausable &
  ControlUser<'go' | 'pauses'> &
  DecisionState &
  ActivityUser<'act' | 'planLeave'>;

/**
 * Looks at every host once, all side by side, and decides. Hosts that the
 * inventory knows are looked at while the providers are still being asked; the
 * answer counts only where the provider then says that nothing has changed.
 * Hosts that do not exist yet get the steps expected.
 */
export async function decideServices(
  operation: Deciding,
  work: WorkScope,
  asking: Promise<MachinePlan>,
): Promise<ServerDecision[]> {
  const names = [
    ...new Set([
      ...work.ensureServices.map(({ server }) => server.name),
      ...work.removeServices.map(({ server }) => server.name),
      ...work.ensureServers.flatMap((spec) => (mayHaveDisks(spec, operation.inventory.servers[spec.name]) ? [spec.name] : [])),
    ]),
  ].sort();
  const decideNow = async (
    server: string,
    connection?: Connection,
    change?: ServerChange,
    seen?: Promise<DecidedService[] | undefined>,
  ): Promise<ServerDecision> => {
    const volumes = connection ? listKnownVolumes(operation, work, server, change) : [];
    const services = (seen && (await seen)) ?? (await decideOn(operation, work, server, connection, undefined, volumes));
    return { server, expected: connection === undefined, services };
  };
  const there = names.filter((name) => operation.inventory.servers[name]?.connection);
  const together = lookTogether(operation, work, there);
  const early = new Map(
    there.map((name) => {
      const connection = operation.inventory.servers[name]?.connection as Connection;
      const scope = new CancellationScope();
      const decision = scope.run(() => decideNow(name, connection, undefined, together.get(name)));
      decision.catch(() => {});
      return [name, { scope, connection, decision }] as const;
    }),
  );
  const machines = await asking.catch((error) => {
    for (const { scope } of early.values()) scope.cancel();
    throw error;
  });
  const decisions: ServerDecision[] = [];
  const changes = new Map(machines.servers.map((change) => [change.server, change]));
  await runDrained(
    names.map((name) => async () => {
      const change = changes.get(name);
      const known = early.get(name);
      const asKnown = known && (!change || (change.action === 'noop' && same(change.connection, known.connection)));
      if (!asKnown) known?.scope.cancel();
      if (change?.stopped) decisions.push({ server: name, expected: true, services: [] });
      else if (asKnown) decisions.push(await known.decision);
      else
        decisions.push(
          await decideNow(
            name,
            change?.action === 'create' || change?.action === 'replace' ? undefined : (change?.connection ?? known?.connection),
            change,
          ),
        );
    }),
  );
  return decisions.sort((a, b) => (a.server < b.server ? -1 : 1));
}

/** Hosts that are to hear of machines that were made or changed: what was decided for them knew nothing of these. */
export function hostsToTell(operation: AnyPhase, work: WorkScope, { servers }: MachinePlan, decisions: ServerDecision[]): string[] {
  if (servers.every(({ action }) => action === 'noop' || action === 'delete')) return [];
  const { ensureOn } = groupWorkByServer(work);
  return decisions.flatMap(({ server }) =>
    namesOf(operation, work, server, ensureOn.get(server)?.[0]?.taskservs ?? []).names ? [server] : [],
  );
}

/** Takes away what the definition no longer names, dependants first, before anything new wants its ports. */
export async function removeServices(
  operation: ActingOnHosts & Recording & AttemptRunner & AnyPhase & Pick<Operation, 'decided'>,
  work: WorkScope,
  decisions: ServerDecision[],
): Promise<void> {
  const { before = operation.inventory } = operation.decided ?? {};
  const moving = new Set(planMoves(work, before).map(({ spec, from }) => `${from}/${spec.name}`));
  await runDrained(
    decisions.map(({ server, services }) => async () => {
      for (const { taskserv } of services.filter(({ remove }) => remove)) {
        if (operation.stopped) return;
        if (!moving.has(`${server}/${taskserv}`)) await removeService(operation, work, server, services, taskserv);
      }
    }),
  );
}

/** Takes away one service of a server, by what was decided for that. Does nothing where nothing was decided. */
export async function removeService(
  operation: ActingOnHosts & Recording & AttemptRunner,
  work: WorkScope,
  server: string,
  services: readonly DecidedService[],
  taskserv: string,
): Promise<void> {
  const decided = services.find((one) => one.remove && one.taskserv === taskserv);
  if (!decided) return;
  const on = `${server}/${taskserv}`;
  const removeNow = async (generation: number) => {
    const { steps } = decided;
    if (steps.length > 0) await actOn(operation, work, server, { taskserv, steps, remove: true }, generation);
    await operation.record({ change: 'service-gone', server, taskserv });
    operation.show({ server, taskserv, state: 'done', step: `Removed ${taskserv}` });
  };
  const remove = (isLater: boolean) =>
    operation.attempt({ step: `Remove ${taskserv}`, on }, (generation) =>
      leaveFirst(operation, work, { server, taskserv, isLater }, () => removeNow(generation)),
    );
  const inTurn = async () => void (await takeTurn(operation, work, { server, taskserv }, remove));
  await operation.continuation.once(`removed/${on}`, inTurn);
}

/** Resulting version and configuration of a service, for the journal of its host. */
function broughtBy(work: WorkScope, server: string, taskserv: string): { version: string; config: string } | undefined {
  const spec = groupWorkByServer(work)
    .ensureOn.get(server)?.[0]
    ?.taskservs.find(({ name }) => name === taskserv);
  return spec && { version: spec.version, config: configHash(spec.config) };
}

/**
 * Does the steps of one service. Answers how they are rolled back, for who learns whether all is well then
 * (`noteRepairs`); undefined where the server is not there.
 */
export async function actOn(
  operation: ActingOnHosts,
  work: WorkScope,
  name: string,
  { taskserv, steps, remove, shares }: Pick<DecidedService, 'taskserv' | 'steps' | 'remove' | 'shares'>,
  generation: number,
  drains: Drain[] = [],
): Promise<StepsUndo | undefined> {
  const server = operation.inventory.servers[name];
  if (!server) return undefined;
  const { connection, provider, services } = server;
  operation.show({ server: name, taskserv, state: 'running', step: steps[0]?.title, done: 0, total: steps.length });
  const secrets = listDeclaredSecrets(operation.inventory, work.definition, name, taskserv);
  const brings = remove ? { removed: true as const } : broughtBy(work, name, taskserv);
  const undo: StepsUndo = {
    undo: 'host-steps',
    server: name,
    taskserv,
    operation: operation.request.id,
    generation,
    steps,
    before: services[taskserv],
    ...(drains.length > 0 ? { drains } : {}),
  };
  operation.compensations.push(undo);
  if (!remove) followDecision(operation, work, { server: name, taskserv }, steps.length);
  const at = {
    scope: scopeOf(operation),
    server: name,
    connection,
    provider,
    operation: operation.request.id,
    taskserv,
    generation,
  };
  const others = { ...othersOf(operation, steps), ...sharersOf(operation, work, name, { taskserv, steps }) };
  const summary = `${taskserv} on ${name}: ${steps.length} steps`;
  operation.atWork.add(at);
  try {
    for (let isPaused = false; ; isPaused = true) {
      await operation.control.go();
      // The next run decides again what is left of it.
      if (isPaused) operation.continuation.leaveToNextRun();
      const { pauses } = operation.control;
      const input = { ...at, steps, secrets, ...others, ...(brings && { brings }), ...(pauses > 0 ? { pauses } : {}) };
      const { executed, made = 0, paused } = await operation.activities.act.executeWithOptions({ summary }, [input]);
      if (executed > 0) undo.begun = true;
      if (!paused) {
        operation.executed(executed + made);
        if (!plansShare(operation.progress.plan, { taskserv, shares })) operation.progress.steps.planned += made;
        return undo;
      }
      const step = `Paused before: ${steps[executed]?.title}`;
      operation.show({ server: name, taskserv, state: 'running', step, done: executed, total: steps.length });
    }
  } catch (error) {
    if (isStepFailed(error)) undo.begun = true;
    throw error;
  } finally {
    operation.atWork.delete(at);
  }
}

/** Counts the steps of a unit that no plan could have. What an attempt before did is not counted again. */
function followDecision(
  { continuation, progress }: Pick<ActingOnHosts, 'continuation' | 'progress'>,
  work: WorkScope,
  at: { server: string; taskserv: string },
  steps: number,
): void {
  const counted = `counted/${at.server}/${at.taskserv}`;
  if (continuation.has(counted)) return;
  continuation.settle(counted);
  const specs = groupWorkByServer(work).ensureOn.get(at.server)?.[0]?.taskservs ?? [];
  const isMember = specs.some(({ name, group }) => name === at.taskserv && group !== undefined);
  progress.steps.planned += countUnplanned(progress.plan, at, { steps, isMember });
}

/** The group whose members make the shares that steps refer to; empty without such steps. */
function sharersOf(
  { inventory }: AnyPhase,
  work: WorkScope,
  server: string,
  { taskserv, steps }: Pick<DecidedService, 'taskserv' | 'steps'>,
): Pick<ActInput, 'groups'> {
  if (listShares(steps).length === 0) return {};
  const { taskservs = [] } = groupWorkByServer(work).ensureOn.get(server)?.[0] ?? {};
  return describeGroups(
    inventory,
    work.definition,
    taskservs.filter(({ name }) => name === taskserv),
  );
}

/** How the hosts are reached that steps have files from; without `others` where there are none. */
function othersOf({ inventory }: AnyPhase, steps: readonly Step[]): Pick<ActInput, 'others'> {
  const others: NonNullable<ActInput['others']> = {};
  for (const step of steps) {
    const from = 'artifact' in step ? step.artifact.from : undefined;
    const there = from && 'server' in from ? inventory.servers[from.server] : undefined;
    if (from && 'server' in from && there) others[from.server] = { provider: there.provider, connection: there.connection };
  }
  return Object.keys(others).length > 0 ? { others } : {};
}
