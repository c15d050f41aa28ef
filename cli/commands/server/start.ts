import { defineCommand } from '../../command.js';
import { POWER, SWITCHED, switchServers } from '../../shared/power.js';

export const command = defineCommand({
  arguments: SWITCHED,
  options: POWER,
  details:
    'Done when SSH lets us in and the services that were installed are healthy again. Asks nobody; nothing is done to one that runs.',
  examples: ['server start web-1', 'server start --role web --no-wait'],
  run: (session, input) => switchServers(session, input, 'start'),
});
