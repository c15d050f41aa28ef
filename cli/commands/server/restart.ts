import { defineCommand, UPDATE } from '../../command.js';
import { POWER, SERVER_ARGUMENTS, switchServers } from '../../shared/power.js';

export const command = defineCommand({
  arguments: SERVER_ARGUMENTS,
  options: [...POWER, ...UPDATE],
  details:
    'Restarts each server, drained at its balancers until SSH accepts a login and its services are healthy. Several servers\nrestart wave by wave, as in a rolling update. If one does not start, the others are left alone. A stopped server is started.',
  examples: ['server restart db-1', 'server restart --role web --max-unavailable 1 --yes'],
  run: (session, input) => switchServers(session, input, 'restart'),
});
