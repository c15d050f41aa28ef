import * as z from 'zod';
import { promote } from '../../fleet/fleet.js';
import { findBuild, routeFleet } from '../../fleet/route-fleet.js';
import { method } from '../../method.js';
import { statusOfFleet } from './status.js';

export const promoteFleet = method({
  name: 'fleet.promote',
  summary: 'Start all new operations on a worker build, and return the fleet; running operations stay on their build',
  input: z.strictObject({
    build: z.string().min(1).max(255).optional().describe('Build, as `fleet.status` lists it (default: build of the worker)'),
  }),
  output: statusOfFleet.output,
  permission: { action: 'fleet:promote', resource: () => ({ type: 'Tenant', id: '*' }) },
  errors: ['no-fleet', 'unknown-version'],
  run: ({ engine }, { build }) => routeFleet(engine, (connection, place) => promote(connection, place, build ?? findBuild(engine))),
});
