import * as z from 'zod';
import { inputError } from '../../../core/errors.js';
import { auditIdentities } from '../../../stores/rows/audit-records.js';
import { method } from '../../method.js';
import { openRows } from '../../open-rows.js';
import { AUDIT_RESOURCE, identityId, identityKind, STORE_ERRORS } from '../../schemas/audit.js';

export const eraseAudit = method({
  name: 'audit.erase',
  summary: 'Erase the name behind a random id of the audit for good: its records stay, and their chains still verify',
  // By the id, so that the record of this call has no name.
  input: z.strictObject({ who: identityId }),
  output: z.strictObject({ who: identityId, kind: identityKind }),
  permission: { action: 'audit:erase', resource: () => AUDIT_RESOURCE },
  errors: [...STORE_ERRORS, 'unknown-audit-identity'].sort(),
  async run({ engine }, { who }) {
    const table = (await openRows(engine.stores, 'erase the name')).table(auditIdentities);
    const found = await table.get({ id: who });
    if (!found || !(await table.delete({ id: who }))) {
      const why = 'the audit has no name for this id: it was erased, or never there';
      throw inputError({
        code: 'unknown-audit-identity',
        what: 'erase the name',
        on: who,
        why,
        hint: 'provisioning audit list --json',
      });
    }
    return { who, kind: found.row.kind };
  },
});
