import type { Freeze } from '../../stores/rows/freezes.js';
import { EVERYWHERE } from '../access/roles.js';

/** A freeze as callers see it. */
export function describeFreeze({ workspace, infra, reason, createdBy, createdAt }: Freeze) {
  const isWhole = infra === EVERYWHERE;
  return {
    place: isWhole ? workspace : `${workspace}/${infra}`,
    workspace,
    ...(!isWhole && { infra }),
    ...{ reason, by: createdBy, since: createdAt },
  };
}
