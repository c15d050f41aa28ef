import { type HostNames, listMovedNames, namesOnHost, namesStep } from './host-names.js';
import type { Unit } from './unit.js';

/** By what it goes in plans, results and journals. */
export const NAMES_UNIT = 'names';

/** The names by which a host knows other servers. The first service needs them, or those after it. */
export function namesUnit(wanted: HostNames): Unit<{ names: typeof namesOnHost }> {
  return {
    unit: NAMES_UNIT,
    stage: 'ahead',
    facts: { names: namesOnHost },
    tells({ names }) {
      const moved = listMovedNames(names, wanted);
      return moved.length > 0 ? { moved } : {};
    },
    plan({ found, toDo }) {
      const step = namesStep(found.names, wanted);
      return step && { steps: toDo([step]), healthy: true };
    },
  };
}
