import { defineCommand } from '../../command.js';
import { POWER, SERVER_ARGUMENTS, switchServers } from '../../shared/power.js';

export const command = defineCommand({
  arguments: SERVER_ARGUMENTS,
  options: POWER,
  details:
    'Waits until SSH accepts a login and the installed services are healthy again. Does not ask first. A running server is left alone.',
  examples: ['server start web-1', 'server start --role web --no-wait'],
  run: (session, input) => switchServers(session, input, 'start'),
});
