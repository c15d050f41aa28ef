import { type Backup, inputError, type ProviderConnection, quickHash } from '../../sdk/index.js';
import { isNotFound, type Storage } from './client/index.js';
import { type Cloud, lookUntilBelieved } from './cloud/cloud.js';
import { createLabels, filterByScope, formatLabelFilter, listLabels, read, sortByAge } from './cloud/labels.js';
import { call } from './errors.js';
import { listServerVolumes, nameOf, removeStorage } from './volumes.js';

const backupOf = (storage: Storage): Backup => ({
  id: storage.uuid,
  volume: read(storage.labels, 'volume') ?? '',
  ...(storage.created ? { since: new Date(storage.created).toISOString() } : {}),
});

/** Creates the verbs for UpCloud's immediate backups of volumes, which outlive volume and server. */
export function backupVerbs(cloud: Cloud): NonNullable<ProviderConnection['backups']> {
  const { client } = cloud;
  return {
    list: ({ scope, signal }) =>
      call('list the backups', scope.infra, signal, async () => {
        const { workspace, infra, uuid } = scope;
        const rows = await client.storages.list(
          { labels: formatLabelFilter({ workspace, infra, uuid, kind: 'backup' }) },
          { signal },
        );
        return sortByAge(rows).map(backupOf);
      }),

    create: (volume, context) =>
      call('back up the volume', volume, context.signal, () =>
        cloud.inTurn(`backup/${context.scope.uuid}/${volume}`, async () => {
          const { scope, key, signal } = context;
          const source = (await listServerVolumes(cloud, undefined, context)).find((one) => nameOf(one) === volume) ?? gone(volume);
          // A backup gets its labels after its creation: until then its title identifies it.
          const title = `${scope.infra}-${volume} ${quickHash(`${scope.uuid} ${key}`)}`;
          const look = async () =>
            (await client.storages.list({ kind: 'backup' }, { signal })).filter(
              (one) => one.origin === source.uuid && one.title === title,
            );
          const [known] = await lookUntilBelieved(cloud, signal, look);
          const made = known ?? (await client.storages.backup(source.uuid, title, { signal }));
          if (read(made.labels, 'kind') === 'backup') return backupOf(made);
          const labels = listLabels({ ...createLabels(context, 'volume', volume, { volume }), 'provisioning.kind': 'backup' });
          return backupOf(await client.storages.modify(made.uuid, { labels }, { signal }));
        }),
      ),

    delete: (id, { scope, signal }) =>
      call('delete the backup', id, signal, async () => {
        const found = await client.storages.read(id, { signal }).catch((error) => {
          if (isNotFound(error)) return undefined;
          throw error;
        });
        const ours = filterByScope(scope, 'volume').filter(({ key }) => !key.endsWith('.kind'));
        if (found && ours.every(({ key, value }) => found.labels?.some((label) => label.key === key && label.value === value)))
          await removeStorage(cloud, id, signal);
      }),
  };
}

function gone(volume: string): never {
  throw inputError({ code: 'volume-gone', what: 'back up the volume', on: volume, why: 'UpCloud has no such volume' });
}
