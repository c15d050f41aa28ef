import { isCancellation } from '@temporalio/workflow';
import { inputError } from '../../core/errors.js';
import type { Rollback } from '../../core/operation/operation.js';
import type { Compensation, UndoOutcome } from '../../core/operation/to-undo.js';
import { explainKept, undoMove } from '../moves/undo-move.js';
import { takeOutOne, undrainBack } from '../rollout/draining.js';
import { scopeOf } from '../runbook/scope-of.js';
import { switchOff, switchOn } from '../runbook/switching.js';
import { awaitSpare, leaveDoomed } from '../runbook/undo-members.js';
import { describeFailure } from './failures.js';
import type { Operation } from './operation.js';
import { findTimeoutPolicy, nameOf } from './outcome.js';

/** For a roll-back: reads its work from the operation that it rolls back. */
export async function readRollback(operation: Operation): Promise<void> {
  const { request, progress, activities } = operation;
  const { workspace, infra, intent, check } = request;
  if (intent.verb !== 'rollback') return;
  const { of = '' } = intent;
  const rollback = await activities.findCompensations.executeWithOptions({ summary: `Read what ${of} left` }, [
    { of, workspace, infra },
  ]);
  operation.rollback = rollback;
  progress.of = rollback.of;
  // They are its own from the begin: it names those that it does not reach.
  if (!check) operation.compensations.push(...[...rollback.compensations].reverse());
}

/**
 * Runs the operation's compensations, newest first, and drops those that are
 * done; those that stay are left. One that finally fails, or is given up by force, does not stop the
 * others. A later run of the operation goes on where the one before ended.
 *
 * @returns what is left, where, why, and the commands that take it away
 * @throws LeftToNextRun
 */
export async function undoCompensations(operation: Operation, staying: readonly Compensation[] = []): Promise<string[]> {
  const { compensations, inventory, control } = operation;
  const isMachineOfOurs = (server: string) => inventory.servers[server]?.spec.host === undefined;
  const doomed = new Set(
    compensations.flatMap((one) =>
      one.undo === 'delete-server' && isMachineOfOurs(one.server) && !staying.includes(one) ? [one.server] : [],
    ),
  );
  // Services of a removed machine go with it, also those that were repaired.
  const stays = (one: Compensation) => staying.includes(one) && !(one.undo === 'host-steps' && doomed.has(one.server));
  operation.undoing ??= { left: [], failed: 0, stay: [] };
  const { undoing } = operation;
  const outcomes: UndoOutcome[] = operation.progress.outcomes ?? [];
  operation.progress.outcomes = outcomes;
  const stay = new Set(undoing.stay);
  // One that could not be deleted stays a member.
  const isGoing = () => new Set([...doomed].filter((server) => !stay.has(server)));
  const undoAsked = (one: Compensation) =>
    untilDecided(operation, one, () =>
      control.unlessForced({ step: 'Roll back', on: nameOf(one) }, () => undoOne(operation, one, isGoing)),
    );
  const undo = compensations.filter((one) => !stays(one));
  // Before the first is undone: a service whose data cannot go back would be left without those who use it.
  if (outcomes.length === 0 && undoing.failed === 0) {
    const why = await explainKept(operation, undo).catch((error) => describeFailure(error, { step: 'Roll back', on: 'data' }).why);
    if (why !== undefined) undoing.kept ??= `left as it is: ${why}`;
  }
  for (const one of undo.slice(0, undo.length - undoing.failed).reverse()) {
    operation.continuation.leaveToNextRun();
    try {
      if (undoing.kept) throw new Kept(undoing.kept);
      if (one.undo === 'delete-network') refuseUsed(operation, one.network, stay);
      // Work on a machine goes with the machine.
      const goesAlong = one.undo === 'host-steps' && doomed.has(one.server);
      const nothing = goesAlong ? undefined : await undoAsked(one);
      outcomes.push({ on: nameOf(one), outcome: nothing ?? 'undone' });
      compensations.splice(compensations.lastIndexOf(one), 1);
    } catch (error) {
      // Only an operation whose whole work is rolling back can be canceled here; the rest is not cancellable.
      if (isCancellation(error)) throw error;
      if (error instanceof Kept) undoing.kept = error.message;
      const { infra } = operation.request;
      const failure = describeFailure(error, { step: 'Roll back', on: infra });
      // The address of a host says more than its name.
      const isNamed = failure.on === infra || failure.on.split('/').every((part) => nameOf(one).includes(part));
      const why = isNamed ? failure.why : `${failure.on}: ${failure.why}`;
      undoing.failed++;
      if (one.undo === 'delete-server') {
        stay.add(one.server);
        undoing.stay.push(one.server);
      }
      showFailed(operation, one, why);
      outcomes.push({ on: nameOf(one), outcome: 'cannot-be-undone', why });
      undoing.left.push(`${nameOf(one)} (${placeOf(one)}${why}; ${remedyOf(operation, one)})`);
    }
  }
  return undoing.left;
}

/** A person said to leave this, and all that would be undone after it. */
class Kept extends Error {
  override readonly name = 'Kept';
}

/**
 * Undoes one compensation. After its time limit a person is asked, unless a policy decides otherwise, because a
 * remaining resource would not be found.
 */
async function untilDecided<T>(operation: Operation, one: Compensation, undo: () => Promise<T>): Promise<T> {
  const { control } = operation;
  const onTimeout = findTimeoutPolicy(operation) ?? 'ask';
  for (;;) {
    try {
      return await undo();
    } catch (error) {
      if (isCancellation(error)) throw error;
      const failure = describeFailure(error, { step: 'Roll back', on: nameOf(one) });
      if (!failure.outOfPatience || onTimeout !== 'ask') throw error;
      showFailed(operation, one, failure.why);
      const at = { step: 'Roll back', on: nameOf(one) };
      const { decision, actor, why } = await control.askUndo(
        `cannot roll back ${nameOf(one)}: ${failure.why}. Retry, skip or keep?`,
        at,
      );
      if (decision === 'keep') throw new Kept(`left as ${actor} said${why ? `: ${why}` : ''}`);
      if (decision !== 'retry') throw error;
    }
  }
}

/** A network goes with its last server: to try it before would only take its time. */
function refuseUsed({ inventory }: Operation, network: string, stay: ReadonlySet<string>): void {
  const user = [...stay].find((server) => inventory.servers[server]?.spec.network === network);
  if (!user) return;
  throw inputError({ code: 'network-in-use', what: 'delete the network', on: network, why: `server ${user} is left in it` });
}

/** Its place, if its name does not have it. */
const placeOf = (one: Compensation): string =>
  one.undo === 'delete-server' || one.undo === 'delete-network' ? `at ${one.provider}: ` : '';

function remedyOf({ request }: Operation, one: Compensation): string {
  const again = `provisioning workflow rollback ${request.id}`;
  const bearsLabels = one.undo === 'delete-server' || one.undo === 'delete-network';
  return bearsLabels ? `${again}, or provisioning orphans --remove` : again;
}

function showFailed(operation: Operation, one: Compensation, why: string): void {
  if (one.undo !== 'delete-server' && one.undo !== 'start-server' && one.undo !== 'host-steps') return;
  const taskserv = one.undo === 'host-steps' ? { taskserv: one.taskserv } : {};
  operation.show({ server: one.server, ...taskserv, state: 'failed', step: `Roll back: ${why}` });
}

/**
 * Refuses to roll back what others have built upon since: their work would go with it.
 * Throws the input error `changed-since`.
 */
export function refuseOvertaken({ inventory }: Operation, { of: ours, compensations }: Rollback): void {
  const overtaken = compensations.flatMap((one) => {
    if (one.undo === 'host-steps') {
      const service = inventory.servers[one.server]?.services[one.taskserv];
      return service && service.since !== ours ? [`${one.taskserv} on ${one.server} by ${service.since}`] : [];
    }
    const name = one.undo === 'delete-server' ? one.server : one.undo === 'update-server' ? one.before.name : undefined;
    const server = name === undefined ? undefined : inventory.servers[name];
    if (!server) return [];
    // It was rolled back before, and another operation made or changed it again.
    if (server.since !== ours) return [`server ${name} by ${server.since}`];
    if (one.undo !== 'delete-server') return [];
    const services = Object.values(server.services).filter(({ since }) => since !== ours);
    return services.map(({ taskserv, since }) => `${taskserv} on ${name} by ${since}`);
  });
  if (overtaken.length === 0) return;
  throw inputError({
    code: 'changed-since',
    what: 'roll back the operation',
    on: ours,
    why: `changed since: ${overtaken.join('; ')}`,
    hint: 'roll back the later operation first, or apply the definition you want',
  });
}

/** Undoes steps on a host, while it is out of service; answers where there was nothing to undo. */
async function undoSteps(operation: Operation, one: Compensation & { undo: 'host-steps' }): Promise<'nothing-to-undo' | undefined> {
  const { activities, inventory } = operation;
  const scope = scopeOf(operation);
  for (const drain of one.drains ?? []) await takeOutOne(operation, drain);
  const server = inventory.servers[one.server];
  if (!server) return 'nothing-to-undo';
  operation.show({ server: one.server, taskserv: one.taskserv, state: 'running', step: 'Roll back' });
  const { connection, provider } = server;
  const { nothing } = await activities.undo.executeWithOptions({ summary: `Roll back: ${one.taskserv} on ${one.server}` }, [
    {
      scope,
      server: one.server,
      connection,
      provider,
      operation: one.operation,
      taskserv: one.taskserv,
      generation: one.generation,
      steps: one.steps,
      ...(one.begun && { begun: true }),
      ...(one.keep && { keep: one.keep }),
    },
  ]);
  await operation.record(
    one.before
      ? { change: 'service', server: one.server, service: one.before }
      : { change: 'service-gone', server: one.server, taskserv: one.taskserv },
  );
  for (const drain of one.drains ?? []) await undrainBack(operation, drain);
  operation.show({ server: one.server, taskserv: one.taskserv, state: 'undone' });
  return nothing && 'nothing-to-undo';
}

/** Undoes one thing; answers where there was nothing to undo. */
async function undoOne(
  operation: Operation,
  one: Compensation,
  listGoing: () => ReadonlySet<string>,
): Promise<'nothing-to-undo' | undefined> {
  const { activities, inventory } = operation;
  const scope = scopeOf(operation);
  const going = listGoing();
  const spared = awaitSpare(operation, one, going);
  if (spared) await spared;
  switch (one.undo) {
    case 'delete-server': {
      const left = going.has(one.server) ? leaveDoomed(operation, one.server, going) : undefined;
      if (left) await left;
      operation.show({ server: one.server, state: 'running', step: 'Roll back: delete the server' });
      const known = inventory.servers[one.server];
      await activities.deleteServer.executeWithOptions({ summary: `Roll back: delete ${one.server}` }, [
        { scope, server: one.server, provider: one.provider, spec: known?.spec, connection: known?.connection },
      ]);
      await operation.record({ change: 'server-gone', name: one.server });
      operation.show({ server: one.server, state: 'undone' });
      return undefined;
    }
    case 'delete-network':
      await activities.deleteNetwork.executeWithOptions({ summary: `Roll back: delete network ${one.network}` }, [
        { scope, name: one.network, provider: one.provider },
      ]);
      await operation.record({ change: 'network-gone', name: one.network });
      return undefined;
    case 'start-server':
      if (!inventory.servers[one.server]) return 'nothing-to-undo';
      operation.show({ server: one.server, state: 'running', step: 'Roll back: start the server' });
      await switchOn(operation, one.server);
      operation.show({ server: one.server, state: 'undone' });
      return undefined;
    case 'update-server':
      for (const drain of one.drains ?? []) await takeOutOne(operation, drain);
      await activities.updateServer.executeWithOptions({ summary: `Roll back: restore ${one.before.name}` }, [
        { scope, spec: one.before.spec, key: operation.key(`server/${one.before.name}/back`) },
      ]);
      // The change started a machine that was stopped on purpose.
      if (one.before.stopped) await switchOff(operation, one.before.name);
      await operation.record({ change: 'server', server: one.before });
      for (const drain of one.drains ?? []) await undrainBack(operation, drain);
      return undefined;
    case 'moved-data':
      return undoMove(operation, one);
    case 'drain':
      await undrainBack(operation, one.drain);
      return undefined;
    case 'host-steps':
      return undoSteps(operation, one);
    case 'definition': {
      const { applied, definition } = one;
      const { request, rollback } = operation;
      const known = { ...(applied !== undefined && { hash: applied }), ...(definition && { former: definition }) };
      await operation.record({ change: 'definition-undone', of: rollback?.of ?? request.id, ...known });
      return rollback?.stays && 'nothing-to-undo';
    }
  }
}
