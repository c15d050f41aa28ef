import { defineCommand } from '../../command.js';
import { POWER, SWITCHED, switchServers } from '../../shared/power.js';

export const command = defineCommand({
  arguments: SWITCHED,
  options: POWER,
  details:
    'Balancers leave it out first, its system is told to end, then its power goes. Its disks stay, and with most vendors its price. The inventory\nknows it as stopped until `server start`, or until an apply, which starts it again and says so before.',
  examples: ['server stop db-1', 'server stop web-1 web-2 --yes', 'server stop --role web --check'],
  run: (session, input) => switchServers(session, input, 'stop'),
});
