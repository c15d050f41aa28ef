import type { Unit } from './unit.js';
import { type HostVolume, volumeOnHost, volumeSteps } from './volume-mounts.js';

/** By what the volumes of a host go: in results of `decide`, in journals and in errors. */
export const VOLUMES_UNIT = 'volumes';

/** The volumes of a host, mounted and as large as their disks. */
export function volumesUnit(server: string, volumes: readonly HostVolume[]): Unit<Record<string, ReturnType<typeof volumeOnHost>>> {
  return {
    unit: VOLUMES_UNIT,
    stage: 'prepare',
    facts: Object.fromEntries(volumes.map((volume) => [volume.name, volumeOnHost(volume)])),
    plan({ found, toDo }) {
      const steps = toDo(
        volumes.flatMap((volume) => volumeSteps(server, volume, found[volume.name] ?? volumeOnHost(volume).absent)),
      );
      return steps.length > 0 ? { steps, healthy: true } : undefined;
    },
  };
}
