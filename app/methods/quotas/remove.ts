import * as z from 'zod';
import { inputError } from '../../../core/errors.js';
import { claimsOfQuotas, quotas } from '../../../stores/rows/quotas.js';
import { editableQuota } from '../../conditions/editables.js';
import { findLimitedPlace, limitedTenant, nameLimitedResource } from '../../limits/limited-place.js';
import { quotaWorkspace } from '../../limits/quota/quota-schemas.js';
import { method } from '../../method.js';
import { openRows } from '../../open-rows.js';

export const removeQuota = method({
  name: 'quotas.remove',
  summary: 'Remove the quota of a workspace, or of all workspaces together',
  input: z.strictObject({ workspace: quotaWorkspace, tenant: limitedTenant }),
  output: z.void(),
  permission: { action: 'quota:remove', resource: nameLimitedResource },
  errors: ['store-failed', 'store-newer', 'store-unreachable', 'unknown-quota', 'unknown-tenant'],
  edits: editableQuota,
  async run({ engine, principal }, { workspace, tenant }) {
    const rows = await openRows(engine.stores, 'remove the quota');
    const key = await findLimitedPlace(rows, principal, { workspace, tenant });
    if (!(await rows.table(quotas).delete(key))) {
      const why = 'the workspace has no quota of its own';
      throw inputError({ code: 'unknown-quota', what: 'remove the quota', on: workspace, why, hint: 'provisioning quota list' });
    }
    await rows.table(claimsOfQuotas).delete(key);
  },
});
