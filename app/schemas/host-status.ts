import * as z from 'zod';
import type { PackageChange } from '../../core/host/archive.js';
import type { HostStatus, ServiceHealth } from '../../core/operation/host-status.js';
import { typeSchema } from './typed.js';

const text = z.string();
/** A package of a host, and its replacement in the host's archive. */
export const packageChange = typeSchema<PackageChange>()(z.strictObject({ package: text, from: text, to: text }));
/** State of a group of services. */
export const groupStatus = z.strictObject({
  name: text,
  needed: z.number(),
  members: z.array(
    z.strictObject({
      server: text,
      state: z.enum(['expected', 'silent', 'seen']),
      serves: z.literal(true).optional(),
      leads: z.literal(true).optional(),
      why: text.optional(),
    }),
  ),
});
const serviceStatus = z.strictObject({
  taskserv: text,
  state: z.enum(['healthy', 'differs', 'unhealthy', 'missing']) satisfies z.ZodType<ServiceHealth>,
  installed: text.optional(),
  newer: packageChange.optional(),
  why: text.optional(),
  steps: z.array(text).optional(),
  group: groupStatus.optional(),
});
/** How a host is now. */
export const hostStatus = typeSchema<HostStatus>()(
  z.strictObject({
    server: text,
    services: z.array(serviceStatus).optional(),
    why: text.optional(),
    stopped: text.optional(),
    hostKey: text.optional(),
  }),
);
