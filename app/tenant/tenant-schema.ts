import * as z from 'zod';
import { NAME, NAME_RULE } from '../../core/names.js';
import { account } from '../../core/schema/request-fields.js';
import type { Tenant } from '../../stores/rows/tenants.js';
import type { Resource } from '../principal.js';
import { time } from '../schemas/ids.js';

export const tenantName = z.string().regex(NAME, `use ${NAME_RULE}`).describe('Name of the tenant');
/** Tenant whose service accounts a call is about. */
export const accountTenant = tenantName
  .optional()
  .describe('Tenant of the account, for an administrator of the platform; absent: that of the caller');
export const providerAccounts = z
  .array(account)
  .max(100)
  .describe('Provider accounts that its definitions may use, such as `hetzner/acme`');

export const listedTenant = z.strictObject({
  name: z.string(),
  id: z.string().describe('Its id, which names inside the platform contain'),
  state: z.enum(['active', 'deleting']),
  about: z.string().optional(),
  providers: z.array(z.string()).describe('Provider accounts that its definitions may use'),
  created: time,
  by: z.string().describe('Creator'),
});

export const describeTenant = ({ createdAt, createdBy, ...row }: Tenant): z.output<typeof listedTenant> => ({
  ...row,
  created: createdAt,
  by: createdBy,
});

export const tenantResource = ({ tenant }: { tenant: string }): Resource => ({ type: 'Tenant', id: tenant });
