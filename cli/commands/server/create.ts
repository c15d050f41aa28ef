import { defineCommand, NARROWED } from '../../command.js';
import { ensureServers } from '../../shared/ensure.js';

export const command = defineCommand({
  arguments: [['[names...]', 'servers of the definition; without a name all of them']],
  options: NARROWED,
  details: 'They come without their taskservs, which `taskserv create` installs; `apply` does both.',
  examples: ['server create web-1', 'server create --file infra.yaml --check'],
  run: ensureServers,
});
