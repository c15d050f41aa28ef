import type { CallContext, OtherKind } from '../../../sdk/index.js';
import { listAddresses, releaseAddresses } from '../addresses.js';
import type { Account } from '../ec2/account.js';
import { deleteGroup, groupsWith } from '../ec2/groups.js';
import type { InfraRegions } from '../ec2/infra-regions.js';
import { waitUntil } from '../ec2/waits.js';
import { leavePlacement, listPlacements } from '../placement.js';

/** Deletes auxiliary resources of servers. Keys exist only in user data. */
export async function deleteOther(
  account: Account,
  regions: InfraRegions,
  { kind, name }: { kind: OtherKind; name: string },
  context: CallContext,
): Promise<void> {
  const { workspace, infra, uuid } = context.scope;
  const purpose = { what: `delete the ${kind}`, on: name, signal: context.signal };
  const patience = { pollMs: account.pollMs, signal: context.signal };
  for (const region of await regions.search(context)) {
    const ask = region.for(purpose);
    if (kind === 'address') await releaseAddresses(ask, await listAddresses(ask, context, name));
    if (kind === 'placement')
      for (const { GroupName } of await listPlacements(ask, context, name)) await leavePlacement(ask, GroupName);
    if (kind === 'firewall') {
      const groups = await groupsWith(ask, { workspace, infra, uuid, kind, name });
      for (const { GroupId } of groups) await waitUntil(patience, purpose.what, name, () => deleteGroup(ask, GroupId));
    }
  }
}
