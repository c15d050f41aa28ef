import { inputError } from '../../../core/errors.js';
import { findTenant } from '../../../core/tenant-names.js';
import { type InfraEnvironment, infraEnvironments } from '../../../stores/rows/workspaces/infra-environments.js';
import type { Rows } from '../../../stores/rows.js';

/** Environments of one infra, at most: an export of its workspace lists them. */
export const MOST_ENVIRONMENTS = 100;

/** Time after a submission in which its operation may not be found yet, in milliseconds. */
const UNSEEN_MS = 60_000;

/**
 * Records the environment of a definition that is submitted. The environments before count too, because the operation
 * may fail or be refused: one mistake, or several, take no infra out of a freeze.
 *
 * @param environment absent: the definition has none
 * @param isSettled whether the definition in force is of the new environment, and no operation can apply another one:
 *   then only the new environment counts. Asked only if others were recorded, and not shortly after a submission.
 * @throws inputError `too-large` for one environment more than an infra may have
 */
export async function recordEnvironment(
  rows: Rows,
  { workspace, infra }: { workspace: string; infra: string },
  environment = '',
  isSettled: () => Promise<boolean> = async () => false,
  now = Date.now(),
): Promise<void> {
  const table = rows.table(infraEnvironments);
  const key = { tenant: findTenant(workspace), workspace, infra };
  for (;;) {
    const found = await table.get(key);
    const others = listEnvironments(found?.row).filter((one) => one !== environment);
    const isOld = now - Date.parse(found?.row.at ?? '') > UNSEEN_MS || found?.row.at === undefined;
    const isAlone = others.length === 0 || (isOld && (await isSettled()));
    if (!isAlone && environment !== '' && others.length >= MOST_ENVIRONMENTS) throw refuseAnother(infra, environment);
    const more = isAlone ? {} : { others, at: new Date(now).toISOString() };
    const next: InfraEnvironment = { ...key, environment, ...more };
    if (isAlone && found?.row.environment === environment && listEnvironments(found.row).every((one) => one === environment))
      return;
    if (await table.compareAndSet(next, found?.revision)) return;
  }
}

function refuseAnother(infra: string, environment: string): Error {
  return inputError({
    code: 'too-large',
    what: `record the environment ${environment}`,
    on: infra,
    why: `the infra has ${MOST_ENVIRONMENTS} environments, which is the maximum`,
    hint: 'apply a definition in a known environment, and submit it again a minute later: the others end then',
  });
}

/** Returns the environments that a row records, the last submitted one first. */
export function listEnvironments(row: InfraEnvironment | undefined): string[] {
  if (!row) return [];
  return [...new Set([row.environment, row.former ?? '', ...(row.others ?? [])])].filter((name) => name !== '');
}
