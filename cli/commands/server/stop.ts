import { defineCommand } from '../../command.js';
import { POWER, SERVER_ARGUMENTS, switchServers } from '../../shared/power.js';

export const command = defineCommand({
  arguments: SERVER_ARGUMENTS,
  options: POWER,
  details:
    'Drains the server at its balancers, shuts its system down, then switches it off. Its disks stay, and most vendors continue to bill it.\nThe inventory records it as stopped until `server start`. An `apply` also starts it, and shows that in its preview.',
  examples: ['server stop db-1', 'server stop web-1 web-2 --yes', 'server stop --role web --check'],
  run: (session, input) => switchServers(session, input, 'stop'),
});
