import type { Volume } from '@aws-sdk/client-ec2';
import { type CallContext, type CreateContext, inputError, type ProviderConnection, type WantedServer } from '../../sdk/index.js';
import { type Account, pages } from './ec2/account.js';
import type { InfraRegions } from './ec2/infra-regions.js';
import type { Ask } from './ec2/region.js';
import { clientToken, createMarkFilters, mark, ownTags, tagSpecification } from './ec2/tags.js';
import { type Patience, waitUntil } from './ec2/waits.js';
import { unless, vendorCode } from './errors.js';

/** How often a token is found to be used up by a volume that is gone. */
const TOKENS = 20;

/** Where AWS lets volumes be attached; the host names them by their ids. */
const DEVICES = 'fghijklmnop';

export const volumeTag = (server: string, volume: string): string => `${server}/${volume}`;

/** The path that a host on Nitro has for a volume, whatever order it finds them in. */
export const devicePath = (id: string): string => `/dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_${id.replace('-', '')}`;

/** Volumes of an infra, or of one server, that are not being deleted. */
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

/** The volumes of a server in the zone of its subnet, found or made; a token keeps each from being made twice. */
export async function ensureVolumes(ask: Ask, wanted: WantedServer, zone: string, context: CreateContext): Promise<Volume[]> {
  if (wanted.volumes.length === 0) return [];
  if (wanted.volumes.length > DEVICES.length) throw tooMany(wanted);
  const there = await listOwnVolumes(ask, context, wanted.name);
  const all: Volume[] = [];
  for (const { name, sizeGiB, mount } of wanted.volumes) {
    const full = volumeTag(wanted.name, name);
    // One in another zone was left by an earlier server of the name: it cannot be attached, and goes with the deletion of this one.
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
    // The token of one that was deleted since answers with that one.
    if (made.State !== 'deleting' && made.State !== 'deleted') return made;
  }
  throw inputError({ code: 'aws-refused', what: 'make the volume', on: name, why: 'AWS returned a deleted volume' });
}

/** Attaches those that are not yet; one that is attached to the server already stays so. */
export async function attachVolumes(ask: Ask, InstanceId: string, volumes: readonly Volume[]): Promise<void> {
  const taken = new Set(volumes.flatMap(({ Attachments = [] }) => Attachments.map(({ Device }) => Device)));
  for (const { VolumeId, Attachments = [] } of volumes) {
    if (Attachments.some((one) => one.InstanceId === InstanceId && one.State !== 'detached')) continue;
    const Device = [...DEVICES].map((letter) => `/dev/sd${letter}`).find((device) => !taken.has(device));
    taken.add(Device);
    await unless(
      // By a try that was cut off.
      ['VolumeInUse'],
      ask((ec2, options) => ec2.attachVolume({ VolumeId, InstanceId, Device }, options)),
    );
  }
}

/** Throws the input error `volume-shrinks` where a volume is to be smaller than it is. */
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

/** Makes volumes larger that are smaller than wanted. What is on them stays. */
export async function growVolumes(ask: Ask, wanted: WantedServer, volumes: readonly Volume[]): Promise<void> {
  for (const { name, sizeGiB } of wanted.volumes) {
    const volume = volumes.find(({ Tags }) => mark(Tags, 'name') === volumeTag(wanted.name, name));
    if (!volume?.VolumeId || (volume.Size ?? 0) === sizeGiB) continue;
    await ask((ec2, options) => ec2.modifyVolume({ VolumeId: volume.VolumeId, Size: sizeGiB }, options));
  }
}

/** Deletes volumes with their data, as soon as nothing has them any more; what is gone is deleted already. */
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

/** Volumes of the infra, named `<server>/<volume>`. */
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
