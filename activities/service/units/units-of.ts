import type { TaskservSpec } from '../../../core/definition/definition.js';
import type { HostNames } from '../../../core/host/host-names.js';
import { namesUnit } from '../../../core/host/names-unit.js';
import type { AnyUnit, UnitContext } from '../../../core/host/unit.js';
import type { HostVolume } from '../../../core/host/volume-mounts.js';
import { volumesUnit } from '../../../core/host/volumes-unit.js';
import type { AnyTaskserv } from '../../../core/taskserv/taskserv.js';
import { findTaskserv } from '../taskserv-of.js';
import { createInstalledUnit } from './installed-unit.js';
import { createRemovedUnits, type Removal } from './removed-unit.js';

/** Goal of a host. */
export interface WantedUnits {
  /** Taskservs to be there, in dependency order. */
  ensure: TaskservSpec[];
  /** Taskservs to be taken away, with the configuration they were installed with. */
  remove: Removal[];
  /** Names of other hosts that the host must know, if no other system provides them. */
  names?: HostNames;
  /** Volumes that the host must mount. */
  volumes?: HostVolume[];
  /** Ask its archive for newer packages, too. */
  archive?: true;
}

/**
 * All units of a host, in the order in which it is asked of them.
 *
 * @param guess what is known before the host was looked at
 */
export function createUnits(
  taskservs: Record<string, AnyTaskserv>,
  { ensure, remove, names, volumes = [], archive }: WantedUnits,
  guess: UnitContext,
): AnyUnit[] {
  return [
    ...createRemovedUnits(taskservs, remove),
    ...ensure.map((spec) => createInstalledUnit(findTaskserv(taskservs, spec.name, spec.module), spec, guess, archive)),
    ...(names ? [namesUnit(names)] : []),
    ...(volumes.length > 0 ? [volumesUnit(guess.host.name, volumes)] : []),
  ];
}
