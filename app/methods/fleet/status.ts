import * as z from 'zod';
import type { Fleet } from '../../../core/engine/fleet.js';
import { fleetNow, locateFleet } from '../../fleet/fleet.js';
import { method } from '../../method.js';
import { typeSchema } from '../../schemas/typed.js';
import { translateFault } from '../../temporal/fault.js';

const fleet = typeSchema<Fleet>()(
  z.strictObject({
    deployment: z.string(),
    versions: z
      .array(
        z.strictObject({
          build: z.string(),
          state: z.enum(['current', 'ramping', 'draining', 'drained', 'inactive']),
          percent: z.number().optional().describe('Percentage of new operations that begin on this version during a ramp'),
          operations: z.int().optional().describe('Number of running operations on this version'),
          since: z.string().optional().describe('ISO 8601'),
        }),
      )
      .describe('Newest first'),
  }),
);

export const statusOfFleet = method({
  name: 'fleet.status',
  summary: 'Show the worker builds, the build for new operations, and the number of operations on each',
  input: z.strictObject({}),
  output: fleet,
  permission: { action: 'fleet:read', resource: () => ({ type: 'Tenant', id: '*' }) },
  errors: ['no-fleet'],
  async run({ engine: { temporal, deployment } }) {
    const place = locateFleet({ namespace: temporal.options.namespace, ...(deployment !== undefined && { deployment }) });
    try {
      return await fleetNow(temporal.connection, place);
    } catch (error) {
      throw translateFault(error, 'the fleet');
    }
  },
});
