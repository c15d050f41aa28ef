import { CancellationScope } from '@temporalio/workflow';
import { markSwitched, type PowerChange, powerTitle } from '../../core/operation/power.js';
import type { WorkScope } from '../../core/operation/work-scope.js';
import { describeFailure } from '../operation/failures.js';
import type { ActivityUser, AnyPhase, AttemptRunner, ControlUser, ProgressView, Recording } from '../operation/operation.js';
import { checkSpare, type LeavingGroups, startBefore } from './leaving/leaving.js';
import { scopeOf } from './scope-of.js';

type SwitchingOff = AnyPhase & Recording & ActivityUser<'powerOff'>;
type Entering = AnyPhase & Recording & ProgressView & ActivityUser<'serverReady'>;
type SwitchingOn = Entering & ActivityUser<'powerOn'>;

/** Switches a machine off, and has the inventory say so. */
export async function switchOff(operation: SwitchingOff, server: string): Promise<void> {
  const known = operation.inventory.servers[server];
  if (!known) return;
  const { provider, connection } = known;
  await operation.activities.powerOff.executeWithOptions({ summary: powerTitle('stop', server) }, [
    { scope: scopeOf(operation), provider, server, connection },
  ]);
  await operation.record({ change: 'server', server: markSwitched(known, operation.request.id) });
}

/** Switches a machine on, and waits until it lets us in. */
export async function switchOn(operation: SwitchingOn, server: string): Promise<void> {
  await powerOn(operation, server);
  await waitForEntry(operation, server);
}

/** Waits until a machine that has its power lets us in: perhaps at another address. */
export async function waitForEntry(operation: Entering, server: string): Promise<void> {
  const known = operation.inventory.servers[server];
  if (!known) return;
  const { spec, connection } = known;
  operation.show({ server, state: 'running', step: 'Wait until it lets us in' });
  const key = operation.key(`server/${server}/start`);
  const {
    id,
    connection: door,
    hostKey,
  } = await operation.activities.serverReady.executeWithOptions({ summary: `Wait for ${server}` }, [
    { scope: scopeOf(operation), spec, key, connection },
  ]);
  operation.noteHostKey(server, hostKey);
  const now = operation.inventory.servers[server] ?? known;
  if (JSON.stringify([now.id, now.connection]) !== JSON.stringify([id, door]))
    await operation.record({ change: 'server', server: { ...now, id, connection: door } });
}

/**
 * Stops and starts a machine as one action: neither a cancel nor a pause comes between, which would leave it off.
 * Returns false if nothing new may begin: then it was not touched.
 */
export async function switchOffAndOn(
  operation: SwitchingOff & ActivityUser<'powerOn'> & ControlUser<'go'> & AttemptRunner,
  server: string,
): Promise<boolean> {
  await operation.control.go();
  if (operation.stopped) return false;
  await CancellationScope.nonCancellable(async () => {
    await switchOff(operation, server);
    await powerOn(operation, server);
  });
  return true;
}

async function powerOn(operation: Recording & ActivityUser<'powerOn'>, server: string): Promise<void> {
  const known = operation.inventory.servers[server];
  if (!known) return;
  const { provider, connection } = known;
  const on = await operation.activities.powerOn.executeWithOptions({ summary: powerTitle('start', server) }, [
    { scope: scopeOf(operation), provider, server, connection },
  ]);
  await operation.record({ change: 'server', server: { ...markSwitched(known), id: on.id, connection: on.connection } });
}

/** Machines that are started, by server. */
export type Starts = ReadonlyMap<string, Start>;

interface Start {
  /** Lets the turns of others in its groups begin. */
  enter(): void;
  /** Its services are healthy, or it failed. */
  settled: Promise<void>;
  settle(): void;
}

/** Has the machines that are off start before the turns of others in their groups. */
export function listStarts(operation: LeavingGroups, work: WorkScope, changes: readonly PowerChange[]): Starts {
  const starts = new Map<string, Start>();
  for (const { server, action } of changes) {
    if (action !== 'start') continue;
    const [entered, settled] = [createGate(), createGate()];
    startBefore(operation, work, server, entered.opened);
    starts.set(server, { enter: entered.open, settled: settled.opened, settle: settled.open });
  }
  return starts;
}

function createGate(): { opened: Promise<void>; open(): void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/**
 * Checks that groups can do without a server. Undefined for a server without members: nothing is to be waited for. Services
 * may need longer to serve than one look waits: those of the machines that the operation starts are waited for then. A member
 * that hangs is not held up by them, as it may be what they need.
 *
 * @throws inputError `quorum-lost`
 */
export function waitForSpare(
  operation: LeavingGroups,
  work: WorkScope,
  at: { server: string; isLater: boolean },
  starts: Starts,
): Promise<unknown> | undefined {
  return checkSpare(operation, work, at)?.catch(async (error: unknown) => {
    const { code } = describeFailure(error, { step: '', on: at.server });
    if (starts.size === 0 || code !== 'quorum-lost') throw error;
    await Promise.all([...starts.values()].map(({ settled }) => settled));
    return checkSpare(operation, work, at);
  });
}
