import type { Tag } from '@aws-sdk/client-ec2';
import type { CreateContext } from '../../../sdk/index.js';
import { releaseAddresses } from '../addresses.js';
import { leavePlacement, listPlacements } from '../placement.js';
import { belongings } from '../servers/describe.js';
import { deleteVolumes } from '../volumes.js';
import { deleteGroup } from './groups.js';
import { findInstance } from './instances.js';
import type { Ask } from './region.js';
import { mark } from './tags.js';
import { lookUntilBelieved, waitUntil } from './waits.js';

/**
 * Deletes what was created with this key for a server that AWS refuses. Earlier resources stay, such as a volume with
 * the data of a former machine. If the machine exists, nothing is deleted.
 */
export async function takeAway(ask: Ask, name: string, context: CreateContext & { pollMs: number }): Promise<void> {
  if (await lookUntilBelieved(context, () => findInstance(ask, name, context))) return;
  const isNew = ({ Tags }: { Tags?: Tag[] | undefined }) => mark(Tags, 'key') === context.key;
  const { volumes, addresses, firewalls } = await belongings(ask, context, name);
  await deleteVolumes(ask, volumes.filter(isNew), context);
  await releaseAddresses(ask, addresses.filter(isNew));
  for (const { GroupId } of firewalls.filter(isNew))
    await waitUntil(context, 'delete the firewall', name, () => deleteGroup(ask, GroupId));
  // A placement that another server has joined in the meantime stays.
  for (const { GroupName } of (await listPlacements(ask, context)).filter(isNew)) await leavePlacement(ask, GroupName);
}
