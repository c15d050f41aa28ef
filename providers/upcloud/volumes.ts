import { type CallContext, type CreateContext, inputError, type ProviderConnection, type WantedServer } from '../../sdk/index.js';
import { isNotFound, type Server, type Storage } from './client/index.js';
import { type Cloud, lookUntilBelieved } from './cloud/cloud.js';
import { createLabels, filterByScope, formatLabelFilter, listLabels, read, sortByAge } from './cloud/labels.js';
import { call } from './errors.js';

/** Returns the name of a volume: `<server>/<volume>`. */
export const nameOf = ({ labels, title }: Pick<Storage, 'labels' | 'title'>): string => read(labels, 'name') ?? title;

/** Returns the path of a virtio disk, for any attachment: its serial is the beginning of its UUID. */
export const devicePath = (uuid: string): string => `/dev/disk/by-id/virtio-${uuid.replaceAll('-', '').slice(0, 20)}`;

/** Lists the volumes of an infra, or of one server, the oldest first. */
export const listServerVolumes = async (
  { client }: Cloud,
  server: string | undefined,
  { scope, signal }: CallContext,
): Promise<Storage[]> => {
  const labels = [...filterByScope(scope, 'volume'), ...formatLabelFilter({ server })];
  return sortByAge(await client.storages.list({ labels }, { signal }));
};

/** Finds or creates the disks of a server. */
export async function ensureVolumes(
  cloud: Cloud,
  { name: server, volumes }: WantedServer,
  zone: string,
  context: CreateContext,
): Promise<Storage[]> {
  if (volumes.length === 0) return [];
  const there = await lookUntilBelieved(cloud, context.signal, () => listServerVolumes(cloud, server, context));
  const all: Storage[] = [];
  for (const { name, sizeGiB, mount } of volumes) {
    const full = `${server}/${name}`;
    const known = there.find((one) => nameOf(one) === full);
    const labels = listLabels(createLabels(context, 'volume', full, { server, mount }));
    const title = `${context.scope.infra}-${full}`;
    all.push(
      known ??
        (await cloud.client.storages.create({ title, zone, size: sizeGiB, tier: 'maxiops', labels }, { signal: context.signal })),
    );
  }
  return all;
}

/** Attaches existing volumes that are not attached, while the server is stopped. */
export async function attachVolumes(
  { client }: Cloud,
  server: Server,
  volumes: readonly Storage[],
  signal?: AbortSignal,
): Promise<void> {
  for (const { uuid } of listUnattached(server, volumes))
    await client.servers.attachStorage(server.uuid, { type: 'disk', address: 'virtio', storage: uuid }, { signal });
}

export const listUnattached = ({ storage_devices }: Server, volumes: readonly Storage[]): Storage[] =>
  volumes.filter(({ uuid }) => !storage_devices.some(({ storage }) => storage === uuid));

/** Returns the volumes to enlarge, with their new size. Throws the input error `volume-shrinks`. */
export const smaller = ({ name: server, volumes }: WantedServer, there: readonly Storage[]): { uuid: string; size: number }[] =>
  volumes.flatMap(({ name, sizeGiB }) => {
    const known = there.find((one) => nameOf(one) === `${server}/${name}`);
    if (known && known.size > sizeGiB) refuseToShrink(server, name, known.size, sizeGiB);
    return known && known.size < sizeGiB ? [{ uuid: known.uuid, size: sizeGiB }] : [];
  });

/** Deletes an unattached disk. A missing disk is ignored. */
export async function removeStorage({ client }: Cloud, uuid: string, signal?: AbortSignal): Promise<void> {
  await client.storages.delete(uuid, {}, { signal }).catch((error) => {
    if (!isNotFound(error)) throw error;
  });
}

/** Creates the verbs for the infra's volumes, named `<server>/<volume>`. */
export function volumeVerbs(cloud: Cloud): ProviderConnection['volumes'] {
  return {
    list: (context) =>
      call('list the volumes', context.scope.infra, context.signal, async () => {
        const rows = await listServerVolumes(cloud, undefined, context);
        return rows.map((one) => ({ name: nameOf(one), id: one.uuid })).sort((a, b) => a.name.localeCompare(b.name));
      }),

    delete: (name, context) =>
      call('delete the volume', name, context.signal, async () => {
        const rows = (await listServerVolumes(cloud, undefined, context)).filter((one) => nameOf(one) === name);
        for (const { uuid } of rows) await removeStorage(cloud, uuid, context.signal);
      }),
  };
}

/** Throws: a volume is never made smaller, and never replaced for that. */
function refuseToShrink(server: string, volume: string, from: number, to: number): never {
  throw inputError({
    code: 'volume-shrinks',
    what: 'change the volume',
    on: `${server}/${volume}`,
    why: `it has ${from} GiB, but the definition sets ${to}`,
    hint: `write ${from}, or delete the server with its data first`,
  });
}
