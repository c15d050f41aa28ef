import type { ActInput } from '../../activities/service/bring.js';
import type { Step } from '../../core/host/step.js';
import type { AnyPhase } from '../operation/operation.js';

/** How the hosts are reached that steps have files from; without `others` where there are none. */
export function othersOf({ inventory }: AnyPhase, steps: readonly Step[]): Pick<ActInput, 'others'> {
  const others: NonNullable<ActInput['others']> = {};
  for (const step of steps) {
    const from = 'artifact' in step ? step.artifact.from : undefined;
    const there = from && 'server' in from ? inventory.servers[from.server] : undefined;
    if (from && 'server' in from && there) others[from.server] = { provider: there.provider, connection: there.connection };
  }
  return Object.keys(others).length > 0 ? { others } : {};
}
