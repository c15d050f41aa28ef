import type { Volume } from '@aws-sdk/client-ec2';
import { type CallContext, type CreateContext, inputError, type ProviderConnection, type WantedServer } from '../../sdk/index.js';
import { type Account, pages } from './ec2/account.js';
import type { InfraRegions } from './ec2/infra-regions.js';
import type { Ask } from './ec2/region.js';
import { clientToken, createMarkFilters, mark, ownTags, tagSpecification } from './ec2/tags.js';
import { type Patience, waitUntil } from './ec2/waits.js';
import { unless, vendorCode } from './errors.js';

/** Maximum number of tokens to try if a deleted volume has used them. */
const TOKENS = 20;

/** Letters of the devices to which AWS attaches volumes. The host names them by their ids. */
const DEVICES = 'fghijklmnop';

export const volumeTag = (server: string, volume: string): string => `${server}/${volume}`;

/** Returns a volume's path on a Nitro host, which does not depend on the order of detection. */
export const devicePath = (id: string): string => `/dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_${id.replace('-', '')}`;

/** Lists the volumes of an infra, or of one server, except those in deletion. */
export async function listOwnVolumes(ask: Ask, { scope }: CallContext, server?: string, name?: string): Promise<Volume[]> {
  const { workspace, infra, uuid } = scope;
  const Filters = createMarkFilters({ workspace, infra, uuid, kind: 'volume', server, name });
  const found = await pages(
    ask,
    (ec2, options, NextToken) => ec2.describeVolumes({ Filters, NextToken }, options),
    ({ Volumes }) => Volumes,
  );
  return found.filter(({ State }) => State !== 'deleting' && State !== 'deleted').sort(byAge);
}

const byAge = (a: Volume, b: Volume) =>
  Number(a.CreateTime ?? 0) - Number(b.CreateTime ?? 0) || ((a.VolumeId ?? '') < (b.VolumeId ?? '') ? -1 : 1);

/** Finds or creates the volumes of a server in its subnet's zone. A token prevents duplicates. */
export async function ensureVolumes(ask: Ask, wanted: WantedServer, zone: string, context: CreateContext): Promise<Volume[]> {
  if (wanted.volumes.length === 0) return [];
  if (wanted.volumes.length > DEVICES.length) throw tooMany(wanted);
  const there = await listOwnVolumes(ask, context, wanted.name);
  const all: Volume[] = [];
  for (const { name, sizeGiB, mount } of wanted.volumes) {
    const full = volumeTag(wanted.name, name);
    // A volume in another zone belongs to an earlier server of this name. It cannot be attached, and is deleted with
    // this server.
    const known = there.find(({ Tags, AvailabilityZone }) => mark(Tags, 'name') === full && AvailabilityZone === zone);
    all.push(known ?? (await make(ask, full, { sizeGiB, mount, server: wanted.name, zone }, context)));
  }
  return all;
}

async function make(
  ask: Ask,
  name: string,
  { sizeGiB, mount, server, zone }: { sizeGiB: number; mount: string; server: string; zone: string },
  context: CreateContext,
): Promise<Volume> {
  const TagSpecifications = tagSpecification('volume', ownTags(context, 'volume', name, { server, mount }));
  for (let count = 1; count <= TOKENS; count++) {
    const ClientToken = clientToken(context, 'volume', name, zone, String(count));
    const made = await ask((ec2, options) =>
      ec2.createVolume({ AvailabilityZone: zone, Size: sizeGiB, VolumeType: 'gp3', ClientToken, TagSpecifications }, options),
    );
    // For a deleted volume, its token returns that volume.
    if (made.State !== 'deleting' && made.State !== 'deleted') return made;
  }
  throw inputError({ code: 'aws-refused', what: 'make the volume', on: name, why: 'AWS returned a deleted volume' });
}

/** Attaches the volumes that are not attached yet. */
export async function attachVolumes(ask: Ask, InstanceId: string, volumes: readonly Volume[]): Promise<void> {
  const taken = new Set(volumes.flatMap(({ Attachments = [] }) => Attachments.map(({ Device }) => Device)));
  for (const { VolumeId, Attachments = [] } of volumes) {
    if (Attachments.some((one) => one.InstanceId === InstanceId && one.State !== 'detached')) continue;
    const Device = [...DEVICES].map((letter) => `/dev/sd${letter}`).find((device) => !taken.has(device));
    taken.add(Device);
    await unless(
      // Attached by an interrupted attempt.
      ['VolumeInUse'],
      ask((ec2, options) => ec2.attachVolume({ VolumeId, InstanceId, Device }, options)),
    );
  }
}

/** Throws the input error `volume-shrinks` if a volume should become smaller. */
export function refuseShrinking(wanted: WantedServer, volumes: readonly Volume[]): void {
  for (const { name, sizeGiB } of wanted.volumes) {
    const on = volumeTag(wanted.name, name);
    const size = volumes.find(({ Tags }) => mark(Tags, 'name') === on)?.Size ?? 0;
    if (size <= sizeGiB) continue;
    throw inputError({
      code: 'volume-shrinks',
      what: 'change the volume',
      on,
      why: `it has ${size} GiB and cannot be made smaller`,
      hint: `write size: ${size} GiB, or use a new volume with another name`,
    });
  }
}

/** Enlarges volumes that are smaller than wanted. Their data stays. */
export async function growVolumes(ask: Ask, wanted: WantedServer, volumes: readonly Volume[]): Promise<void> {
  for (const { name, sizeGiB } of wanted.volumes) {
    const volume = volumes.find(({ Tags }) => mark(Tags, 'name') === volumeTag(wanted.name, name));
    if (!volume?.VolumeId || (volume.Size ?? 0) === sizeGiB) continue;
    await ask((ec2, options) => ec2.modifyVolume({ VolumeId: volume.VolumeId, Size: sizeGiB }, options));
  }
}

/** Deletes volumes with their data, when nothing uses them. Missing volumes are ignored. */
export async function deleteVolumes(ask: Ask, volumes: readonly Volume[], patience: Patience): Promise<void> {
  for (const { VolumeId = '' } of volumes) {
    await waitUntil(patience, 'delete the volume', VolumeId, async () => {
      try {
        await ask((ec2, options) => ec2.deleteVolume({ VolumeId }, options));
        return true;
      } catch (error) {
        if (vendorCode(error) === 'InvalidVolume.NotFound') return true;
        if (vendorCode(error) === 'VolumeInUse' || vendorCode(error) === 'IncorrectState') return false;
        throw error;
      }
    });
  }
}

/** Creates the verbs for the infra's volumes, named `<server>/<volume>`. */
export function volumeVerbs(account: Account, regions: InfraRegions): ProviderConnection['volumes'] {
  return {
    async list(context) {
      const purpose = { what: 'list the volumes', on: context.scope.infra, signal: context.signal };
      const found = await Promise.all((await regions.of(context)).map((region) => listOwnVolumes(region.for(purpose), context)));
      const rows = found.flat().map(({ Tags, VolumeId = '' }) => ({ name: mark(Tags, 'name') ?? '', id: VolumeId }));
      return rows.sort((a, b) => (a.name < b.name ? -1 : 1));
    },
    async delete(name, context) {
      const purpose = { what: 'delete the volume', on: name, signal: context.signal };
      for (const region of await regions.search(context)) {
        const ask = region.for(purpose);
        await deleteVolumes(ask, await listOwnVolumes(ask, context, undefined, name), {
          pollMs: account.pollMs,
          signal: context.signal,
        });
      }
    },
  };
}

const tooMany = ({ name, volumes }: WantedServer) =>
  inputError({
    code: 'quota-exceeded',
    what: 'make the volumes',
    on: name,
    why: `it has ${volumes.length}, and AWS attaches at most ${DEVICES.length} under our names`,
    hint: 'use fewer, larger volumes',
  });
