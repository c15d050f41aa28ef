import * as z from 'zod';
import { auditIdentities } from '../../../stores/rows/audit-records.js';
import { readAll } from '../../access/service-accounts.js';
import { method } from '../../method.js';
import { openRows } from '../../open-rows.js';
import { AUDIT_RESOURCE, identityId, identityKind, STORE_ERRORS } from '../../schemas/audit.js';
import { time } from '../../schemas/ids.js';

export const identitiesOfAudit = method({
  name: 'audit.identities',
  summary: 'List the random ids under which records of the audit have a person, a service account or an address',
  input: z.strictObject({ name: z.string().min(1).max(300).describe('The caller or the address, as records show it') }),
  output: z.array(z.strictObject({ who: identityId, kind: identityKind, since: time })),
  permission: { action: 'audit:read', resource: () => AUDIT_RESOURCE },
  errors: STORE_ERRORS,
  async run({ engine }, { name }) {
    const rows = await openRows(engine.stores, 'read the names of the audit');
    const found = await readAll(rows.table(auditIdentities), { name });
    return found.map(({ row: { id, kind, at } }) => ({ who: id, kind, since: at }));
  },
});
