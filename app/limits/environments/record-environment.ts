import { findTenant } from '../../../core/tenant-names.js';
import { type InfraEnvironment, infraEnvironments } from '../../../stores/rows/workspaces/infra-environments.js';
import type { Rows } from '../../../stores/rows.js';

/**
 * Records the environment of a definition that is submitted. The former environment counts until the next definition,
 * because the operation may fail or be refused.
 *
 * @param environment absent: the definition has none
 */
export async function recordEnvironment(
  rows: Rows,
  { workspace, infra }: { workspace: string; infra: string },
  environment = '',
): Promise<void> {
  const table = rows.table(infraEnvironments);
  const key = { tenant: findTenant(workspace), workspace, infra };
  for (;;) {
    const found = await table.get(key);
    const next: InfraEnvironment = { ...key, environment, ...chooseFormer(found?.row, environment) };
    if (found && found.row.environment === next.environment && found.row.former === next.former) return;
    if (await table.compareAndSet(next, found?.revision)) return;
  }
}

/** Returns the field of an environment that the infra leaves. */
function chooseFormer(found: InfraEnvironment | undefined, environment: string): Pick<InfraEnvironment, 'former'> {
  if (!found || found.environment === environment) return {};
  // From one mistake to the next, the environment that is in force still counts.
  const former = found.environment === '' ? found.former : found.environment;
  return former === undefined || former === environment ? {} : { former };
}
