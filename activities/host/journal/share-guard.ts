import type { Step } from '../../../core/host/step.js';
import { type GivenShare, listShares } from '../../../core/taskserv/share.js';

/** Exit code of a step whose share expired before it began. */
export const SHARE_EXIT = 113;

/**
 * Bash that ends a step before it begins if a share of it has expired: the steps before it may take longer than the
 * share lasts. Measured from the start of the runner, since clocks of hosts may be wrong. Empty without shares.
 *
 * @param now milliseconds
 */
export function guardShares(step: Step, shares: ReadonlyMap<string, GivenShare> | undefined, now: number): string {
  const ends = listShares(step).map((name) => ({ name, seconds: Math.floor(((shares?.get(name)?.until ?? now) - now) / 1_000) }));
  return ends
    .map(
      ({ name, seconds }) =>
        `[ "$SECONDS" -lt ${Math.max(0, seconds)} ] || { echo 'the share "${name.replaceAll(/[^A-Za-z0-9_.-]/g, '')}" has expired'; exit ${SHARE_EXIT}; }\n`,
    )
    .join('');
}
