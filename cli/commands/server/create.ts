import { defineCommand, NARROWED } from '../../command.js';
import { ensureServers } from '../../shared/ensure.js';

export const command = defineCommand({
  arguments: [['[names...]', 'servers of the definition (default: all)']],
  options: NARROWED,
  details: 'Creates servers without their taskservs. Use `taskserv create` to install them, or `apply` for both.',
  examples: ['server create web-1', 'server create --file infra.yaml --check'],
  run: ensureServers,
});
