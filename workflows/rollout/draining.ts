import { isCancellation, sleep } from '@temporalio/workflow';
import type { ActInput } from '../../activities/service/bring.js';
import type { Definition } from '../../core/definition/definition.js';
import { peersOf } from '../../core/definition/peers.js';
import { nameStep, namesFor } from '../../core/host/host-names.js';
import type { Step } from '../../core/host/step.js';
import type { Compensation, Drain } from '../../core/operation/to-undo.js';
import type { WorkScope } from '../../core/operation/work-scope.js';
import type { DrainTarget, Peer } from '../../core/taskserv/taskserv.js';
import { listDeclaredSecrets } from '../operation/declared-secrets.js';
import type { ActivityUser, AnyPhase, CompensationLog, ProgressView } from '../operation/operation.js';
import { scopeOf } from '../runbook/scope-of.js';

/** Works at what stands in front of others. */
type AtBalancers = AnyPhase & ActivityUser<'act'>;

/** Takes out of service and returns to service. */
export type DrainOperation = AtBalancers & CompensationLog & ProgressView;

const titleOf = ({ target: { server, taskserv } }: Drain) => (taskserv ? `${taskserv} on ${server}` : server);

export const nameOfDrain = (drain: Drain) => `${titleOf(drain)}, out of service at ${drain.server}`;

/** Plans how the load balancers in front of the targets drain them. Only installed load balancers count. */
export async function planDrains(
  operation: AnyPhase & ActivityUser<'planDrains'>,
  { definition }: WorkScope,
  targets: DrainTarget[],
): Promise<Drain[]> {
  const { servers, definition: former } = operation.inventory;
  const balancers = definition.servers.flatMap(({ name, role, plan, taskservs }) =>
    taskservs.flatMap((spec) => {
      const installed = servers[name]?.services[spec.name];
      // One that is off passes nothing on.
      if (!spec.drains || !installed || servers[name]?.stopped) return [];
      const { cores, memoryMiB } = plan;
      const { config, module } = installed;
      return [{ server: name, role, cores, memoryMiB, taskserv: spec.name, config, ...(module !== undefined && { module }) }];
    }),
  );
  if (balancers.length === 0 || targets.length === 0) return [];
  return operation.activities.planDrains.executeWithOptions({ summary: 'Find the load balancers of the servers' }, [
    {
      workspace: definition.workspace,
      balancers,
      targets,
      peers: peersOf(former ?? definition),
      ...returning(targets, definition, former),
    },
  ]);
}

/** Endpoints of the targets after their return, if they differ from the former ones. */
function returning(targets: DrainTarget[], definition: Definition, former: Definition | undefined): { returns?: Peer[] } {
  const servers = new Set(targets.map(({ server }) => server));
  const own = (of: Definition) => peersOf(of).filter(({ server }) => servers.has(server));
  const returns = own(definition);
  return former === undefined || JSON.stringify(own(former)) === JSON.stringify(returns) ? {} : { returns };
}

/** Takes a target out of service everywhere, noting first how it returns to service. */
export async function takeOut(operation: DrainOperation, drains: Drain[]): Promise<void> {
  for (const drain of drains) {
    const noted = operation.compensations.some((one) => one.undo === 'drain' && one.drain === drain);
    if (!noted) operation.compensations.push({ undo: 'drain', drain });
    const { server, taskserv } = drain.target;
    operation.show({ server, taskserv, state: 'running', step: `${drain.drain[0]?.title} at ${drain.server}` });
    operation.executed(await takeOutOne(operation, drain));
  }
}

/** Returns it to service everywhere, and waits until it is used again. */
export async function undrain(operation: DrainOperation, drains: Drain[]): Promise<void> {
  for (const drain of drains) {
    const noted = operation.compensations.findIndex((one) => one.undo === 'drain' && one.drain === drain);
    if (noted < 0) continue;
    const { server, taskserv } = drain.target;
    operation.show({ server, taskserv, state: 'running', step: `${drain.undrain[0]?.title} at ${drain.server}` });
    operation.executed(await undrainOne(operation, drain));
    // Others may have been recorded in the meantime.
    operation.compensations.splice(
      operation.compensations.findIndex((one) => one.undo === 'drain' && one.drain === drain),
      1,
    );
  }
}

/**
 * Leaves a stopped target to the load balancers' own checks, so it is used again as soon as it answers, whoever starts
 * it. They still have it as drained for the time that the checks need: no request reaches a stopped machine.
 */
export async function leaveToChecks(operation: DrainOperation, drains: Drain[]): Promise<void> {
  if (drains.length === 0) return;
  await sleep(Math.min(operation.request.timing?.healthMs ?? SEEN_AFTER_MS, SEEN_AFTER_MS));
  for (const drain of drains) {
    operation.executed(await runAt(operation, drain, listLeavingSteps(drain)));
    const noted = operation.compensations.findIndex((one) => one.undo === 'drain' && one.drain === drain);
    if (noted >= 0) operation.compensations.splice(noted, 1);
  }
}

/** A balancer asks every two seconds, and believes it the third time (taskservs/haproxy). */
const SEEN_AFTER_MS = 10_000;

/** Undoing a drain does not wait until the target is used. */
export const listLeavingSteps = ({ target, drain }: Drain): Step[] =>
  drain.flatMap((step) =>
    'run' in step && step.undo ? [{ title: `Leave ${target.server} to the checks of health`, run: step.undo, undo: ':' }] : [],
  );

/** Returns to service what an operation that ends without a rollback took out; what cannot be stays noted, and is named. */
export async function undrainAll(operation: DrainOperation): Promise<void> {
  const out = operation.compensations.filter((one): one is Compensation & { undo: 'drain' } => one.undo === 'drain');
  for (const { drain } of out) {
    await undrain(operation, [drain]).catch((error) => {
      if (isCancellation(error)) throw error;
    });
  }
}

export const takeOutOne = (operation: AtBalancers, drain: Drain): Promise<number> => runAt(operation, drain, drain.drain);

export const undrainOne = (operation: AtBalancers, drain: Drain): Promise<number> => returnOne(operation, drain, drain.undrain);

/** The same of one that was brought to what it was before. */
export const undrainBack = (operation: AtBalancers, drain: Drain): Promise<number> =>
  returnOne(operation, drain, drain.back ?? drain.undrain);

/** A replaced machine has another address, which the load balancers get before they use it. */
async function returnOne(operation: AtBalancers, drain: Drain, steps: Step[]): Promise<number> {
  const { server, taskserv } = drain.target;
  const names = taskserv === undefined ? (namesFor(drain.server, [server], operation.inventory) ?? {}) : {};
  const naming = Object.entries(names).map(([name, address]) => nameStep(name, address));
  return (await runAt(operation, drain, [...naming, ...steps])) - naming.length;
}

/** Each time is work of its own, with a journal of its own. */
const times = new WeakMap<AtBalancers, number>();

/** How often something was done at what stands in front of others. */
export const drainsCounted = (operation: AtBalancers): number => times.get(operation) ?? 0;

/** Goes on counting where a former run of the operation ended. */
export const countDrains = (operation: AtBalancers, from: number): void => void times.set(operation, from);

/**
 * Runs steps on a server for the sake of another one. Returns how many, with the shares that were made for them.
 *
 * @param sharers the group whose members make the shares that the steps refer to, and the member that leaves it
 */
export async function runAt(
  operation: AtBalancers,
  drain: Pick<Drain, 'server' | 'taskserv' | 'target'>,
  steps: Step[],
  sharers: Pick<ActInput, 'groups' | 'leaving'> = {},
): Promise<number> {
  const balancer = operation.inventory.servers[drain.server];
  if (!balancer || steps.length === 0) return 0;
  const generation = (times.get(operation) ?? 0) + 1;
  times.set(operation, generation);
  const { executed, made = 0 } = await operation.activities.act.executeWithOptions(
    { summary: `${drain.server}: ${steps[0]?.title}` },
    [
      {
        scope: scopeOf(operation),
        server: drain.server,
        connection: balancer.connection,
        provider: balancer.provider,
        operation: operation.request.id,
        taskserv: `${drain.taskserv}@${drain.target.server}`,
        generation,
        steps,
        secrets: listDeclaredSecrets(operation.inventory, undefined, drain.server, drain.taskserv),
        ...sharers,
      },
    ],
  );
  return executed + made;
}
