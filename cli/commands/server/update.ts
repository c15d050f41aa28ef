import { defineCommand, NARROW_OPTIONS, UPDATE } from '../../command.js';
import { ensureServers } from '../../shared/ensure.js';

export const command = defineCommand({
  arguments: [['[names...]', 'servers of the definition (default: all)']],
  options: [...NARROW_OPTIONS, ...UPDATE],
  details: 'Leaves taskservs unchanged: use `taskserv update` for them, or `apply` for both.',
  examples: ['server update web-1', 'server update --file infra.yaml --check'],
  run: ensureServers,
});
