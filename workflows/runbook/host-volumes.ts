import type { ServerSpec } from '../../core/definition/definition.js';
import type { HostVolume } from '../../core/host/volume-mounts.js';
import type { InventoryServer } from '../../core/infra/inventory.js';
import type { ServerChange } from '../../core/operation/machine-plan.js';

type Wanted = Pick<ServerSpec, 'volumes' | 'host'>;
type Known = Pick<InventoryServer, 'connection' | 'devices' | 'spec'>;

const isNew = (known: Known, name: string) => !known.spec.volumes.some((one) => one.name === name);

/** Whether there is anything to be asked of a host about its volumes: it has disks, or is to get its first. */
export const mayHaveDisks = ({ volumes, host }: Wanted, known: Known | undefined): boolean =>
  known?.connection.kind === 'ssh' && !host && (known.devices !== undefined || volumes.some(({ name }) => isNew(known, name)));

/**
 * Volumes that a host must mount: those whose disks it has, and those that it gets by a change of its machine.
 *
 * @param before record at the begin of the operation
 */
export function volumesOf(
  wanted: Wanted,
  before: Known | undefined,
  { action, devices = before?.devices }: Pick<ServerChange, 'action' | 'devices'>,
): HostVolume[] {
  if (!before || !mayHaveDisks(wanted, { ...before, devices })) return [];
  const changes = action === 'update';
  return wanted.volumes.flatMap((volume): HostVolume[] => {
    const device = devices?.[volume.name];
    const comes = changes && isNew(before, volume.name) ? { comes: true as const } : {};
    if (!device) return comes.comes ? [{ ...volume, ...comes }] : [];
    const former = before.spec.volumes.find(({ name }) => name === volume.name);
    const grows = changes && former && former.sizeGiB < volume.sizeGiB ? { grows: true as const } : {};
    return [{ ...volume, device, ...comes, ...grows }];
  });
}
