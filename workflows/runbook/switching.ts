import { CancellationScope } from '@temporalio/workflow';
import { markSwitched, powerTitle } from '../../core/operation/power.js';
import type { ActivityUser, AnyPhase, AttemptRunner, ControlUser, ProgressView, Recording } from '../operation/operation.js';
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
