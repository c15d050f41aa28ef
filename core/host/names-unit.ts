import { type HostNames, movedNames, namesOnHost, namesStep } from './host-names.js';
import type { Unit } from './unit.js';

/** The names by which a host knows other servers. The first service needs them, or those after it. */
export function namesUnit(wanted: HostNames): Unit<{ names: typeof namesOnHost }> {
  return {
    unit: 'names',
    stage: 'ahead',
    facts: { names: namesOnHost },
    tells({ names }) {
      const moved = movedNames(names, wanted);
      return moved.length > 0 ? { moved } : {};
    },
    plan({ found, toDo }) {
      const step = namesStep(found.names, wanted);
      return step && { steps: toDo([step]), healthy: true };
    },
  };
}
