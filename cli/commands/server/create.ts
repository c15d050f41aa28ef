import { defineCommand, NARROW_OPTIONS } from '../../command.js';
import { ensureServers } from '../../shared/ensure.js';

export const command = defineCommand({
  arguments: [['[names...]', 'servers of the definition (default: all)']],
  options: NARROW_OPTIONS,
  details: 'Creates servers without their taskservs. Use `taskserv create` to install them, or `apply` for both.',
  examples: ['server create web-1', 'server create --file infra.yaml --check'],
  run: ensureServers,
});
