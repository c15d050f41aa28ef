import type { CallContext } from '../../../sdk/index.js';
import { listAddresses, releaseAddresses } from '../addresses.js';
import { deleteGroup } from '../ec2/groups.js';
import type { StateOf } from '../ec2/instances.js';
import type { Ask } from '../ec2/region.js';
import type { Servers } from '../ec2/server-lookup.js';
import { createMarkFilters } from '../ec2/tags.js';
import { lookUntilBelieved, waitUntil } from '../ec2/waits.js';
import { unless } from '../errors.js';
import { leavePlacement, listPlacements } from '../placement.js';
import { deleteVolumes } from '../volumes.js';
import { belongings } from './describe.js';

/** Deletes a server in any region, with all its belongings. */
export const deleteServer = (
  { account, regions, turn, watchOf }: Servers,
  name: string,
  context: CallContext & { replaced?: true },
): Promise<void> =>
  turn(context, name, async () => {
    const purpose = { what: 'delete the server', on: name, signal: context.signal };
    for (const region of await regions.search(context)) {
      await endInstances(region.for(purpose), name, { ...context, pollMs: account.pollMs, stateOf: watchOf(region) });
    }
  });

type RemoveContext = CallContext & { replaced?: true; pollMs: number; stateOf: StateOf };

/**
 * Terminates all instances of a server, waits until they are gone, and deletes their belongings. Missing resources are
 * ignored, so that a second attempt completes the first.
 */
async function endInstances(ask: Ask, name: string, context: RemoveContext): Promise<void> {
  const { scope, signal, stateOf, replaced } = context;
  const { workspace, infra, uuid } = scope;
  const Filters = createMarkFilters({ workspace, infra, uuid, kind: 'server', name });
  // Includes terminating instances: they hold their volumes and groups until they are gone.
  const look = async () => {
    const { Reservations = [] } = await ask((ec2, options) => ec2.describeInstances({ Filters }, options));
    const there = Reservations.flatMap(({ Instances = [] }) => Instances).filter(({ State }) => State?.Name !== 'terminated');
    return there.length > 0 ? there : undefined;
  };
  const instances = (await lookUntilBelieved(context, look)) ?? [];
  // A delayed read may omit an address after its instance ends, so both lookups count.
  const held = replaced ? [] : await listAddresses(ask, context, name);
  for (const { InstanceId = '' } of instances) {
    await unless(
      ['InvalidInstanceID.NotFound'],
      ask((ec2, options) => ec2.terminateInstances({ InstanceIds: [InstanceId] }, options)),
    );
  }
  for (const { InstanceId = '' } of instances) {
    // AWS keeps a terminated instance for an hour, or forgets it.
    const isGone = async () => [undefined, 'terminated'].includes(await stateOf(InstanceId, signal));
    await waitUntil({ pollMs: 0, signal }, 'delete the server', name, isGone);
  }
  const { volumes, firewalls, addresses } = await belongings(ask, context, name);
  await deleteVolumes(ask, volumes, context);
  if (!replaced) {
    const known = new Set(addresses.map(({ AllocationId }) => AllocationId));
    await releaseAddresses(ask, [...addresses, ...held.filter(({ AllocationId }) => !known.has(AllocationId))]);
  }
  for (const { GroupId } of firewalls) await waitUntil(context, 'delete the firewall', name, () => deleteGroup(ask, GroupId));
  // A terminated instance does not name its placement. Placements in use stay.
  if (!replaced) for (const { GroupName } of await listPlacements(ask, context)) await leavePlacement(ask, GroupName);
}
