import { showWorkspace } from '../../core/tenant-names.js';
import type { Freeze } from '../../stores/rows/freezes.js';
import { EVERYWHERE } from '../access/roles.js';

/** A freeze as callers see it. */
export function describeFreeze({ workspace: inside, infra, reason, createdBy, createdAt }: Freeze) {
  const workspace = showWorkspace(inside);
  const isWhole = infra === EVERYWHERE;
  return {
    place: isWhole ? workspace : `${workspace}/${infra}`,
    workspace,
    ...(!isWhole && { infra }),
    ...{ reason, by: createdBy, since: createdAt },
  };
}
