import { showWorkspace } from '../../core/tenant-names.js';
import type { Freeze } from '../../stores/rows/freezes.js';
import { EVERYWHERE } from '../access/roles.js';
import { readFrozenEnvironment } from './environments/frozen-environment.js';

/** A freeze as callers see it. */
export function describeFreeze({ workspace: inside, infra, reason, createdBy, createdAt }: Freeze) {
  const workspace = showWorkspace(inside);
  const environment = readFrozenEnvironment({ infra });
  const isInfra = infra !== EVERYWHERE && environment === undefined;
  return {
    place: isInfra ? `${workspace}/${infra}` : environment === undefined ? workspace : `${workspace}${infra}`,
    workspace,
    ...(isInfra && { infra }),
    ...(environment !== undefined && { environment }),
    ...{ reason, by: createdBy, since: createdAt },
  };
}
