import { defineCommand } from '../../command.js';
import { askFleet } from '../../shared/fleet.js';

export const command = defineCommand({
  details: 'Shows the worker builds, the build for new operations, and how many operations run on each. See docs/operate/fleet.md.',
  run: (session) => askFleet(session, ['status']),
});
