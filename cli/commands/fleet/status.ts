import { defineCommand } from '../../command.js';
import { askFleet } from '../../shared/fleet.js';

export const command = defineCommand({
  details: 'The builds of its workers, where operations begin, and how many of each still run. docs/guides/fleet.md',
  run: (session) => askFleet(session, ['status']),
});
