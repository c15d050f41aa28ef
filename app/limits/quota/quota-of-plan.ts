import type { OperationRequest, OperationResult } from '../../../core/operation/operation.js';
import { findTenant } from '../../../core/tenant-names.js';
import { claimsOfQuotas } from '../../../stores/rows/quotas.js';
import type { Call } from '../../method.js';
import { translateFault } from '../../temporal/fault.js';
import { readQuotas, readUses } from './claim-quota.js';
import { findEnded } from './find-ended.js';
import { judgeQuota, type QuotaUse } from './judge-quota.js';
import { describeWanted } from './wanted-work.js';
import { readUse } from './workspace-use.js';

/**
 * Returns how a previewed plan changes the quotas of its workspace, and which quotas it exceeds; undefined without
 * quotas.
 */
export async function quotaOfPlan(
  { engine }: Pick<Call, 'engine'>,
  { operation, workspace }: Pick<OperationResult, 'operation' | 'workspace'>,
): Promise<QuotaUse[] | undefined> {
  // A process without a worker opens no rows, and claims nothing.
  if (!engine.stores.rows) return undefined;
  const rows = await engine.stores.rows();
  const scopes = await readQuotas(rows, findTenant(workspace), workspace);
  if (scopes.length === 0) return undefined;
  const request = await engine.temporal.workflow
    .getHandle(operation)
    .query<OperationRequest>('request')
    .catch((error: unknown) => Promise.reject(translateFault(error, operation)));
  const judged = await Promise.all(
    scopes.map(async (quota) => {
      const { uses, infras } = await readUses(readUse(engine), quota, { infras: [describeWanted(request)] });
      const claims = await readClaims({ engine, rows }, quota);
      return judgeQuota(quota, claims, uses, { weight: 1, infras });
    }),
  );
  return judged.flat();
}

/** The claims of work that runs. */
export async function readClaims(
  { engine, rows }: { engine: Call['engine']; rows: Awaited<ReturnType<NonNullable<Call['engine']['stores']['rows']>>> },
  { tenant, workspace }: { tenant: string; workspace: string },
) {
  const claims = (await rows.table(claimsOfQuotas).get({ tenant, workspace }))?.row.claims ?? [];
  const ended = await findEnded(engine.temporal, claims);
  return claims.filter(({ id }) => !ended.has(id));
}
