import * as z from 'zod';
import { showWorkspace } from '../../../core/tenant-names.js';
import { HOME_TENANT } from '../../access/service-accounts.js';
import { editableQuota } from '../../conditions/editables.js';
import { findLimitedPlace, limitedTenant, nameLimitedResource } from '../../limits/limited-place.js';
import { readQuotas, readUses } from '../../limits/quota/claim-quota.js';
import { judgeQuota } from '../../limits/quota/judge-quota.js';
import { readClaims } from '../../limits/quota/quota-of-plan.js';
import { quotaUse, quotaWorkspace } from '../../limits/quota/quota-schemas.js';
import { readUse } from '../../limits/quota/workspace-use.js';
import { method } from '../../method.js';
import { openRows } from '../../open-rows.js';

export const getQuota = method({
  name: 'quotas.get',
  summary: 'Return the limits that count for a workspace, and what of them is in use',
  input: z.strictObject({ workspace: quotaWorkspace, tenant: limitedTenant }),
  output: z.array(quotaUse),
  permission: { action: 'quota:read', resource: nameLimitedResource },
  errors: ['store-failed', 'store-newer', 'store-unreachable', 'unknown-tenant'],
  reads: editableQuota,
  async run({ engine, principal }, asked) {
    const rows = await openRows(engine.stores, 'show the quota');
    const all = { type: 'Workspace', id: '*', tenant: HOME_TENANT } as const;
    const mayReadAll = await principal.may('quota:read', all);
    // The use of all workspaces together is hidden from callers that may read only one of them.
    const { tenant, workspace } = await findLimitedPlace(rows, principal, asked);
    const scopes = (await readQuotas(rows, tenant, workspace)).filter((one) => mayReadAll || one.workspace === workspace);
    const unique = scopes.filter((one, index) => scopes.findIndex((other) => other.workspace === one.workspace) === index);
    const judged = await Promise.all(
      unique.map(async (quota) => {
        const [{ uses }, claims] = await Promise.all([readUses(readUse(engine), quota), readClaims({ engine, rows }, quota)]);
        return judgeQuota({ ...quota, workspace: showWorkspace(quota.workspace) }, claims, uses);
      }),
    );
    return judged.flat();
  },
});
