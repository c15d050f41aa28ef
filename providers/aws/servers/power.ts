import type { Instance } from '@aws-sdk/client-ec2';
import type { CallContext, FoundServer } from '../../../sdk/index.js';
import type { StateOf } from '../ec2/instances.js';
import type { Ask } from '../ec2/region.js';
import type { Servers } from '../ec2/server-lookup.js';
import { look, throwAgain } from '../ec2/servers.js';

type Action = 'start' | 'stop' | 'restart';

/** Stops, starts or restarts a server. */
export const powerServer = ({ turn, locate }: Servers, name: string, action: Action, context: CallContext): Promise<FoundServer> =>
  turn(context, name, async () => {
    const purpose = { what: `${action} the server`, on: name, signal: context.signal };
    const { ask, instance, stateOf } = await locate(name, context, purpose);
    await power(ask, instance, action, { ...context, stateOf });
    return (await look(ask, name, context)) ?? throwAgain(purpose);
  });

export type PowerContext = Pick<CallContext, 'signal'> & { stateOf: StateOf };

/** Stops, starts or restarts an instance, and waits for the result. */
async function power(ask: Ask, instance: Instance, action: Action, context: PowerContext): Promise<void> {
  if (action !== 'start') await stop(ask, instance, context);
  if (action !== 'stop') {
    await start(ask, instance, context);
    await waitUntilSettled(instance, ['running'], context);
  }
}

/** Stops the operating system, and waits until the instance is off. A stopped one stays so. */
export async function stop(ask: Ask, instance: Instance, context: PowerContext): Promise<void> {
  // A starting instance cannot be stopped yet.
  const state = await waitUntilSettled(instance, ['running', 'stopped', 'stopping'], context);
  if (state === 'running') await ask((ec2, options) => ec2.stopInstances({ InstanceIds: [instance.InstanceId ?? ''] }, options));
  if (state !== 'stopped') await waitUntilSettled({ ...instance, State: undefined }, ['stopped'], context);
}

/** Starts an instance when it is settled. Returns when AWS has begun. */
export async function start(ask: Ask, instance: Instance, context: PowerContext): Promise<void> {
  const state = await waitUntilSettled({ ...instance, State: undefined }, ['running', 'pending', 'stopped'], context);
  if (state === 'stopped') await ask((ec2, options) => ec2.startInstances({ InstanceIds: [instance.InstanceId ?? ''] }, options));
}

/**
 * Waits until an instance is in one of these states. It also waits, up to the caller's limit, if AWS does not know it
 * yet, or no longer.
 */
export async function waitUntilSettled(
  { InstanceId = '', State }: { InstanceId?: string | undefined; State?: { Name?: string | undefined } | undefined },
  states: readonly string[],
  { stateOf, signal }: PowerContext,
): Promise<string> {
  let state: string | undefined = State?.Name;
  while (!state || !states.includes(state)) state = await stateOf(InstanceId, signal);
  return state;
}
