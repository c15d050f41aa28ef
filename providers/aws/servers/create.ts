import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Access,
  type CallContext,
  type CreateContext,
  createAtomically,
  type FoundServer,
  type WantedServer,
} from '../../../sdk/index.js';
import { associateAddress, listAddresses } from '../addresses.js';
import { launch } from '../ec2/launch.js';
import type { Servers } from '../ec2/server-lookup.js';
import { look, throwAgain, throwGone } from '../ec2/servers.js';
import { takeAway } from '../ec2/take-away.js';
import { attachVolumes, listOwnVolumes } from '../volumes.js';

/** Returns the existing server, or launches one in its zone. */
export const createServer = (
  { account, regions, turn }: Servers,
  wanted: WantedServer,
  context: CreateContext & { access: Access },
): Promise<FoundServer> =>
  turn(context, wanted.name, async () => {
    context.signal?.throwIfAborted();
    const purpose = { what: 'create the server', on: wanted.name, signal: context.signal };
    const place = await account.place(wanted.zone, purpose);
    regions.note(context, place.in);
    const ask = place.in.for(purpose);
    const there = await look(ask, wanted.name, context);
    if (there) return there;
    const making = { ...context, pollMs: account.pollMs };
    return createAtomically({
      make: () => launch(ask, wanted, place.availabilityZone, making),
      takeAway: () => takeAway(ask, wanted.name, making),
      pause: sleep,
    });
  });

/** Waits until the server runs, and attaches its volumes and its address, which require a running instance. */
export async function waitForServer(
  servers: Servers,
  name: string,
  context: CallContext & { beat?: (what: string) => void },
): Promise<FoundServer> {
  const { signal, beat } = context;
  const purpose = { what: 'wait for the server', on: name, signal };
  const { ask, id, instance, stateOf } = await servers.locate(name, context, purpose);
  for (let state = instance.State?.Name as string | undefined; state !== 'running'; state = await stateOf(id, signal)) {
    if (state === 'terminated' || state === 'shutting-down') return throwGone(name);
    beat?.('Wait for its start');
  }
  await attachVolumes(ask, id, await listOwnVolumes(ask, context, name));
  await associateAddress(ask, id, await listAddresses(ask, context, name));
  return (await look(ask, name, context)) ?? throwAgain(purpose);
}
