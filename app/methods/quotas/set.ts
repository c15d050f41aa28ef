import * as z from 'zod';
import { inputError } from '../../../core/errors.js';
import { quotas } from '../../../stores/rows/quotas.js';
import { editableQuota } from '../../conditions/editables.js';
import { findLimitedPlace, limitedTenant, nameLimitedResource } from '../../limits/limited-place.js';
import { describeQuota } from '../../limits/quota/describe-quota.js';
import { listedQuota, quotaLimits, quotaWorkspace } from '../../limits/quota/quota-schemas.js';
import { method } from '../../method.js';
import { openRows } from '../../open-rows.js';

export const setQuota = method({
  name: 'quotas.set',
  summary: 'Set the quota of a workspace, or of all workspaces together; it replaces the former quota',
  input: z.strictObject({ workspace: quotaWorkspace, tenant: limitedTenant, ...quotaLimits }),
  output: listedQuota,
  permission: { action: 'quota:set', resource: nameLimitedResource },
  errors: ['store-failed', 'store-newer', 'store-unreachable', 'unknown-tenant'],
  edits: editableQuota,
  async run({ engine, principal }, { workspace, tenant, ...limits }) {
    if (Object.values(limits).every((limit) => limit === undefined)) {
      const why = 'it limits nothing';
      throw inputError({
        code: 'bad-request',
        what: 'set the quota',
        on: workspace,
        why,
        hint: 'limit operations, servers or cost',
      });
    }
    const rows = await openRows(engine.stores, 'set the quota');
    const place = await findLimitedPlace(rows, principal, { workspace, tenant });
    const row = { ...place, ...limits, setAt: new Date().toISOString(), setBy: principal.actor };
    await rows.table(quotas).put(row);
    return { ...describeQuota(row), workspace };
  },
});
