import type { Step } from '../../../core/host/step.js';
import { type GivenShare, listShares } from '../../../core/taskserv/groups/share.js';

/** Exit code of a step whose share expired before it began; its event tells it from a step that ends with this code. */
const SHARE_EXIT = 113;

/** Bash that notes when the runner began, by the clock of the kernel: that of the host may be set while it runs. */
export const NOTE_BEGIN = 'read -r BEGAN _ </proc/uptime; BEGAN=${BEGAN%.*}';

/**
 * Bash that ends a step before it begins if a share of it has expired: the steps before it may take longer than the
 * share lasts. Measured from the start of the runner, since clocks of hosts may be wrong. Empty without shares.
 *
 * @param position of the step in the journal
 * @param now milliseconds
 */
export function guardShares(
  step: Step,
  position: number,
  shares: ReadonlyMap<string, GivenShare> | undefined,
  now: number,
): string {
  const ends = listShares(step).map((name) => ({ name, seconds: Math.floor(((shares?.get(name)?.until ?? now) - now) / 1_000) }));
  return ends
    .map(
      ({ name, seconds }) =>
        `read -r up _ </proc/uptime; [ "$((\${up%.*} - BEGAN))" -lt ${Math.max(0, seconds)} ] || { echo 'the share "${name.replaceAll(/[^A-Za-z0-9_.-]/g, '')}" has expired'; event expired ${position}; exit ${SHARE_EXIT}; }\n`,
    )
    .join('');
}
