import { defineCommand, UPDATE } from '../../command.js';
import { POWER, SWITCHED, switchServers } from '../../shared/power.js';

export const command = defineCommand({
  arguments: SWITCHED,
  options: [...POWER, ...UPDATE],
  details:
    'Off and on again, out of service at its balancers meanwhile, until SSH lets us in and its services are healthy. Several go wave by wave,\nas a change of machines does; after one that does not come up the others are left alone. One that is stopped is started.',
  examples: ['server restart db-1', 'server restart --role web --max-unavailable 1 --yes'],
  run: (session, input) => switchServers(session, input, 'restart'),
});
