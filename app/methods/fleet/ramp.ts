import * as z from 'zod';
import { ramp } from '../../fleet/fleet.js';
import { routeFleet } from '../../fleet/route-fleet.js';
import { method } from '../../method.js';
import { statusOfFleet } from './status.js';

export const rampFleet = method({
  name: 'fleet.ramp',
  summary: 'Start a percentage of new operations on a worker build, and return the fleet; 0 ends the ramp',
  input: z.strictObject({
    build: z.string().min(1).max(255).describe('Build, as `fleet.status` lists it'),
    percent: z.int().min(0).max(99).describe('Percentage of new operations'),
  }),
  output: statusOfFleet.output,
  permission: { action: 'fleet:promote', resource: () => ({ type: 'Tenant', id: '*' }) },
  errors: ['no-fleet', 'unknown-version'],
  run: ({ engine }, { build, percent }) => routeFleet(engine, (connection, place) => ramp(connection, place, build, percent)),
});
