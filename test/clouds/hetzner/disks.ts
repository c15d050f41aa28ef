import { devicePath } from '../../../providers/hetzner/volumes.js';
import { type Disk, makeDisk } from '../disks.js';
import type { World } from './world.js';

/** Real disks behind volumes. They are attached to hosts, grown and deleted according to the rows. */
export function disksBehind(world: World) {
  const disks = new Map<number, { disk: Disk; at: number | null }>();
  const follow = (): void => {
    for (const row of world.state.volumes.values()) {
      const known = disks.get(row.id) ?? { disk: makeDisk(row.size), at: null };
      disks.set(row.id, known);
      if (known.disk.sizeGiB < row.size) known.disk.grow(row.size);
      if (known.at === row.server) continue;
      const path = devicePath(row);
      if (known.at !== null) world.machines.get(known.at)?.unplug(path).catch(report);
      if (row.server !== null && !world.machines.has(row.server)) continue;
      if (row.server !== null) world.machines.get(row.server)?.plug(path, known.disk.minor).catch(report);
      known.at = row.server;
    }
    for (const [id, { disk }] of disks) {
      if (world.state.volumes.has(id)) continue;
      disk.remove();
      disks.delete(id);
    }
  };
  const close = (): void => {
    for (const { disk } of disks.values()) disk.remove();
  };
  return { follow, close };
}

const report = (error: unknown) => console.error('a disk of the stand-in is not as it should be:', error);
