import type { Scope } from '../../../sdk/index.js';
import { releaseAddress } from '../addresses.js';
import type { Cloud } from '../cloud/cloud.js';
import { removePlacements } from '../placement.js';

/** Deletes auxiliary resources of servers. */
export async function deleteOther(
  cloud: Cloud,
  kind: string,
  name: string,
  { scope, signal }: { scope: Scope; signal?: AbortSignal },
): Promise<void> {
  if (kind === 'address') await releaseAddress(cloud, scope, name, signal);
  if (kind === 'placement') await removePlacements(cloud, scope, name, signal);
}
