import type { Snapshot } from '@aws-sdk/client-ec2';
import { type Backup, type CallContext, inputError, type ProviderConnection } from '../../sdk/index.js';
import { type Account, pages } from './ec2/account.js';
import type { InfraRegions } from './ec2/infra-regions.js';
import type { Ask } from './ec2/region.js';
import { ensureSingle, turns } from './ec2/single.js';
import { createMarkFilters, mark, ownTags, tagSpecification } from './ec2/tags.js';
import { unless } from './errors.js';
import { listOwnVolumes } from './volumes.js';

/** Creates the verbs for backups: snapshots of volumes, with the infra's tags, which outlive the infra. */
export function backupVerbs(account: Account, regions: InfraRegions): NonNullable<ProviderConnection['backups']> {
  const inTurn = turns();
  return {
    async list(context) {
      const purpose = { what: 'list the backups', on: context.scope.infra, signal: context.signal };
      const all = await Promise.all((await regions.search(context)).map((region) => snapshotsOf(region.for(purpose), context)));
      return all.flat().map(backupOf);
    },

    create: (volume, context) =>
      inTurn(`${context.scope.uuid}/${volume}`, async () => {
        const purpose = { what: 'back up the volume', on: volume, signal: context.signal };
        for (const region of await regions.of(context)) {
          const ask = region.for(purpose);
          const [found] = await listOwnVolumes(ask, context, undefined, volume);
          if (found) return backupOf(await ensureSnapshot(ask, volume, found.VolumeId, { ...context, pollMs: account.pollMs }));
        }
        throw inputError({ code: 'volume-gone', ...purpose, why: 'AWS has no such volume' });
      }),

    async delete(id, context) {
      const purpose = { what: 'delete the backup', on: id, signal: context.signal };
      for (const region of await regions.search(context)) {
        const ask = region.for(purpose);
        const own = (await snapshotsOf(ask, context)).filter(({ SnapshotId }) => SnapshotId === id);
        for (const { SnapshotId } of own) await remove(ask, SnapshotId);
      }
    },
  };
}

function ensureSnapshot(
  ask: Ask,
  volume: string,
  VolumeId: string | undefined,
  context: CallContext & { key: string; pollMs: number },
) {
  const TagSpecifications = tagSpecification('snapshot', ownTags(context, 'backup', volume));
  return ensureSingle<Snapshot>({
    pollMs: context.pollMs,
    signal: context.signal,
    find: () => snapshotsOf(ask, context, { name: volume, key: context.key }),
    make: () => ask((ec2, options) => ec2.createSnapshot({ VolumeId, Description: volume, TagSpecifications }, options)),
    id: ({ SnapshotId = '' }) => SnapshotId,
    isUsed: () => false,
    remove: ({ SnapshotId }) => remove(ask, SnapshotId),
  });
}

function snapshotsOf(ask: Ask, { scope }: CallContext, more: { name?: string; key?: string } = {}): Promise<Snapshot[]> {
  const { workspace, infra, uuid } = scope;
  const Filters = createMarkFilters({ workspace, infra, uuid, kind: 'backup', ...more });
  return pages(
    ask,
    (ec2, options, NextToken) => ec2.describeSnapshots({ OwnerIds: ['self'], Filters, NextToken }, options),
    ({ Snapshots }) => Snapshots,
  );
}

const remove = (ask: Ask, SnapshotId: string | undefined) =>
  unless(
    ['InvalidSnapshot.NotFound'],
    ask((ec2, options) => ec2.deleteSnapshot({ SnapshotId }, options)),
  );

const backupOf = ({ SnapshotId: id = '', Tags, StartTime }: Snapshot): Backup => ({
  id,
  volume: mark(Tags, 'name') ?? '',
  ...(StartTime ? { since: StartTime.toISOString() } : {}),
});
