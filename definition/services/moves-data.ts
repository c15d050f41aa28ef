import type { Findings } from '../source/findings.js';
import type { WantedService } from './wanted-services.js';

/** Whether the entries of a service say that its data moves with it; reports one that cannot. */
export function movesData(
  { taskserv, layers }: Pick<WantedService, 'taskserv' | 'layers'>,
  held: readonly string[],
  findings: Findings,
): boolean {
  const layer = layers.findLast((one) => one.moveData !== undefined);
  if (!layer?.moveData) return false;
  const at = [...layer.path, 'moveData'];
  if (taskserv.moveData && held.length > 0) return true;
  if (held.length === 0) findings.value(at, `"${taskserv.name}" holds no data here that could move`, 'leave moveData out');
  else
    findings.value(
      at,
      `"${taskserv.name}" cannot move its data to another server`,
      `leave moveData out; back up ${held.join(', ')}, for example with restic, and restore it on the new server`,
    );
  return false;
}
