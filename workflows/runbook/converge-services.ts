import { isCancellation, workflowInfo } from '@temporalio/workflow';
import type { DecidedService } from '../../activities/service/decide.js';
import type { Verdict } from '../../activities/service/verify.js';
import type { ServerSpec, TaskservSpec } from '../../core/definition/definition.js';
import { nameGroup } from '../../core/definition/group-members.js';
import { peersFor } from '../../core/definition/peers.js';
import { readWorkflowsVersion } from '../../core/engine/workflows-version.js';
import type { WorkScope } from '../../core/operation/work-scope.js';
import { moveData } from '../moves/move-data.js';
import { planMoves } from '../moves/moves.js';
import { describeFailure, GivenUp, InputChanged, NotBegun, OperationStopped } from '../operation/failures.js';
import { refuseUnplanned } from '../operation/held-to-plan.js';
import type { ActivityUser, AnyPhase, AttemptRunner, DecisionState, OmissionLog, Recording } from '../operation/operation.js';
import { findChangedBehind } from '../rollout/changed-behind.js';
import { undrain } from '../rollout/draining.js';
import type { RollingUpdate } from '../rollout/rolling.js';
import { decideOn } from './decide-host.js';
import { runDrained } from './drained.js';
import { findChangingGroups, membersInOrder } from './grouped-hosts.js';
import { noteRepairs } from './repairs.js';
import type { ServerDecision } from './server-decision.js';
import { remember, verifyOne } from './service-health.js';
import { type ActingOnHosts, actOn, removeService } from './service-phases.js';
import { findWorked, worksOnOther } from './worked-on.js';

/** Installs services, checks their health, and drains them in that time. */
export type ConvergingServices = ActingOnHosts &
  Recording &
  AnyPhase &
  AttemptRunner &
  OmissionLog &
  DecisionState &
  ActivityUser<'decide' | 'verify' | 'planMove' | 'movePart'>;

/**
 * Brings every service to what is wanted, in dependency order across all hosts:
 * a service waits for those it comes after, wherever they run; a host does one
 * thing at a time. A host is looked at again before each service that follows a change on it.
 */
export async function convergeServices(
  operation: ConvergingServices,
  work: WorkScope,
  decisions: ServerDecision[],
  rolling: RollingUpdate,
  changed: string[],
): Promise<void> {
  const touched = new Set(
    decisions
      .filter(({ expected, services }) => expected || services.some(({ remove, steps }) => remove && steps.length > 0))
      .map(({ server }) => server),
  );
  for (const server of changed) touched.add(server);
  const seenOf = new Map(
    decisions.flatMap(({ server, services }) =>
      services.filter(({ remove }) => !remove).map((decided) => [`${server}/${decided.taskserv}`, decided] as const),
    ),
  );
  const outcomes: Promise<void>[] = [];
  const lastOn = new Map<string, Promise<unknown>>();
  // All services of a taskserv come before any that depends on it: they are waited for as one.
  const ofTaskserv = new Map<string, Promise<unknown>[]>();
  const settledAll = new Map<string, Promise<unknown>>();
  const allOf = (taskserv: string) => {
    const known = settledAll.get(taskserv) ?? Promise.all(ofTaskserv.get(taskserv) ?? []);
    settledAll.set(taskserv, known);
    return known;
  };
  // Members of a group come one after the other.
  const lastIn = new Map<string, Promise<unknown>>();
  const changing = findChangingGroups(work, decisions);
  for (const { server, spec } of membersInOrder(work, (on, taskserv) => seenOf.get(`${on}/${taskserv}`))) {
    const at = { server: server.name, taskserv: spec.name };
    const seen = seenOf.get(`${at.server}/${at.taskserv}`);
    const group = nameGroup(spec);
    const member = group === undefined ? [] : [lastIn.get(group)];
    const isChanging = group !== undefined && changing.has(group);
    const run = Promise.all([...spec.after.map(allOf), lastOn.get(server.name), ...member]).then(() =>
      operation.continuation
        .once(`service/${at.server}/${at.taskserv}`, () =>
          withMove(operation, work, { server, spec, decisions }, (known) =>
            convergeOne(operation, work, server, spec, { touched, seen: known && !isChanging ? seen : undefined, rolling }),
          ),
        )
        .finally(() => rolling.leave(at)),
    );
    const settled = run.catch(() => {});
    const others = ofTaskserv.get(spec.name);
    if (others) others.push(settled);
    else ofTaskserv.set(spec.name, [settled]);
    lastOn.set(server.name, settled);
    if (group !== undefined) lastIn.set(group, settled);
    outcomes.push(run);
  }
  await runDrained(outcomes.map((outcome) => () => outcome));
}

/**
 * Brings a service to its goal, and moves its data: the service begins empty, gets the data, and is checked again. The
 * former one is removed last.
 */
async function withMove(
  operation: ConvergingServices,
  work: WorkScope,
  { server, spec, decisions }: { server: ServerSpec; spec: TaskservSpec; decisions: ServerDecision[] },
  converge: (asSeen: boolean) => Promise<void>,
): Promise<void> {
  const { before = operation.inventory } = operation.decided ?? {};
  const move = spec.moveData && planMoves(work, before).find((one) => one.to === server.name && one.spec === spec);
  if (!move) return converge(true);
  await operation.continuation.once(`begun/${server.name}/${spec.name}`, () => converge(true));
  const isThere = () => operation.inventory.servers[server.name]?.services[spec.name] !== undefined;
  if (operation.stopped || !isThere()) return;
  await moveData(operation, move);
  await converge(false);
  if (operation.stopped) return;
  const { services = [] } = decisions.find((one) => one.server === move.from) ?? {};
  await removeService(operation, work, move.from, services, spec.name);
}

interface Converging {
  /** Hosts on which something was changed since they were looked at. */
  touched: Set<string>;
  /** Decision from the begin of the operation. */
  seen: DecidedService | undefined;
  rolling: RollingUpdate;
  /** The machine was started just now: its services may still be starting. */
  starting?: boolean;
}

/** The version of workflows since which what is in no wave keeps its place among what is at work. */
const KEPT_SINCE = 2;

/**
 * Work without a wave keeps its slot. Otherwise all of thousands would begin before the first acts, in a run that may
 * be too long by then and that none of them leaves.
 */
const keepsPlace = (rolling: RollingUpdate, at: { server: string; taskserv: string }): boolean =>
  readWorkflowsVersion(workflowInfo().memo) >= KEPT_SINCE && rolling.policyOf(at) === undefined;

/** Brings one service to what is wanted. */
export async function convergeOne(
  operation: ConvergingServices,
  work: WorkScope,
  server: ServerSpec,
  spec: TaskservSpec,
  { touched, seen, rolling, starting = false }: Converging,
): Promise<void> {
  const at = { server: server.name, taskserv: spec.name };
  if (operation.stopped) return operation.show({ ...at, state: 'skipped', step: 'the operation stopped before' });
  operation.continuation.leaveToNextRun();
  const why = explainLeftOut(operation, work, server, spec);
  if (why) return operation.leaveOut(`${at.server}/${at.taskserv}`, why);

  const behind = () => findChangedBehind(operation, rolling, spec);
  const turn = () => (keepsPlace(rolling, at) ? Promise.resolve(false) : operation.aside(rolling.enter(at)));
  const converge = async (generation: number): Promise<true | undefined> => {
    const waited = seen && seen.steps.length > 0 ? await turn() : false;
    // A decision from before a wait of hours or days may be outdated.
    const { resumed } = operation.continuation;
    const again =
      waited ||
      resumed ||
      operation.control.pauses > 0 ||
      touched.has(server.name) ||
      generation > 1 ||
      seen === undefined ||
      worksOnOther(operation, work, spec);
    if (operation.stopped) return undefined;
    if (waited) operation.continuation.leaveToNextRun();
    const connection = operation.inventory.servers[server.name]?.connection;
    const decided = again ? (await decideOn(operation, work, server.name, connection, spec.name))[0] : seen;
    if (!decided) return true;
    if (decided.steps.length === 0) {
      const isKnown = decided.healthy && behind().length === 0;
      const verify = () => verifyOne(operation, work, server, spec, starting || behind().length > 0, behind());
      await settle(isKnown ? decided : await verify(), 'unchanged');
      await undrain(operation, rolling.drainsOf(at));
      return true;
    }
    const peers = [...peersFor(work.peers, [at.server], [spec]), ...findWorked(operation, work, spec)].map(({ server }) => server);
    if (again) refuseUnplanned(operation, { ...at, decided, peers });
    const isLater = await turn();
    if (operation.stopped) return undefined;
    if (isLater) operation.continuation.leaveToNextRun();
    touched.add(server.name);
    await rolling.outOfService(at, async () => {
      const undo = await actOn(operation, work, server.name, decided, generation, rolling.drainsOf(at));
      await settle(await verifyOne(operation, work, server, spec, true, behind()), 'done');
      noteRepairs(undo, decided);
    });
    operation.show({ ...at, state: 'done' });
    return true;
  };

  const settle = async (state: Verdict, shown: 'done' | 'unchanged') => {
    await remember(operation, server, spec, { ...state, acted: shown === 'done' });
    operation.show({ ...at, state: shown });
    if (!state.healthy) throw unhealthy(operation, at, state);
  };

  const ask = rolling.policyOf(at)?.pauseOnFailure;
  const settled = await operation
    .attempt({ step: `Install ${spec.name}`, on: `${at.server}/${at.taskserv}`, ask }, (generation) =>
      converge(generation).catch((error) => {
        rolling.hold(at);
        throw error;
      }),
    )
    .catch((error) => {
      if (error instanceof InputChanged || error instanceof GivenUp || error instanceof NotBegun) throw error;
      const { step, why } = describeFailure(error, { step: `Install ${spec.name}`, on: at.server });
      operation.show({ ...at, state: 'failed', step: `${step}: ${why}` });
      throw error;
    });
  if (settled !== undefined) return;
  // A person decided to leave it as it is. The load balancers' checks decide whether they use it.
  if (!operation.stopped) await undrain(operation, rolling.drainsOf(at)).catch(rethrowCancellation);
  const because = operation.leftOut.get(`${at.server}/${at.taskserv}`);
  operation.show({ ...at, state: 'skipped', ...(because ? { step: because } : {}) });
}

function unhealthy(
  { request }: AnyPhase,
  { server, taskserv }: { server: string; taskserv: string },
  { why, hint }: Pick<Verdict, 'why' | 'hint'>,
): OperationStopped {
  return new OperationStopped({
    step: 'Check the health',
    on: `${server}/${taskserv}`,
    why: why ?? 'the service is not healthy',
    code: 'unhealthy',
    exitCode: 1,
    hint: hint ?? `provisioning logs ${request.id} --server ${server}`,
  });
}

function rethrowCancellation(error: unknown): void {
  if (isCancellation(error)) throw error;
}

/** Why a service has to be left out: its server, or something that it comes after, was. */
function explainLeftOut(
  { leftOut }: Pick<OmissionLog, 'leftOut'>,
  { ensureServices }: WorkScope,
  server: ServerSpec,
  { after }: TaskservSpec,
): string | undefined {
  if (leftOut.size === 0) return undefined;
  const before = ensureServices.flatMap(({ server: { name }, taskservs }) =>
    taskservs.filter((other) => after.includes(other.name)).map((other) => `${name}/${other.name}`),
  );
  return [server.name, ...before].map((on) => leftOut.get(on)).find((why) => why !== undefined);
}
