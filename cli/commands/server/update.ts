import { defineCommand, NARROWED, UPDATE } from '../../command.js';
import { ensureServers } from '../../shared/ensure.js';

export const command = defineCommand({
  arguments: [['[names...]', 'servers of the definition; without a name all of them']],
  options: [...NARROWED, ...UPDATE],
  details: 'Their taskservs are left as they are: `taskserv update` is for those, `apply` for both.',
  examples: ['server update web-1', 'server update --file infra.yaml --check'],
  run: ensureServers,
});
