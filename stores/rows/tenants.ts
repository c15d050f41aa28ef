import * as z from 'zod';
import { table } from './collection.js';

const tenant = z.strictObject({
  name: z.string(),
  /** Random: a tenant that is created again under the same name is another one. */
  id: z.string(),
  /** A tenant that is deleted has no accounts that may call. */
  state: z.enum(['active', 'deleting']),
  about: z.string().optional(),
  /** Accounts of providers that its definitions may use: `hetzner/acme`. */
  providers: z.array(z.string()),
  createdAt: z.iso.datetime(),
  createdBy: z.string(),
});

export type Tenant = z.infer<typeof tenant>;

/** Rows are encrypted, so that writing into the database adds no tenant. */
export const tenants = table({ name: 'tenants', row: tenant, key: ['name'], indexes: ['id'], sealed: true });
