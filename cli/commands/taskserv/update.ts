import { defineCommand, NARROW_OPTIONS, UPDATE } from '../../command.js';
import { ensureTaskservs, SERVERS_OPTION } from '../../shared/ensure.js';

export const command = defineCommand({
  arguments: [['[names...]', 'taskservs of the definition (default: all)']],
  options: [...NARROW_OPTIONS, SERVERS_OPTION, ...UPDATE],
  details: 'The servers must exist.',
  examples: [
    'taskserv update redis',
    'taskserv update nginx --server web-1,web-2',
    'taskserv update nginx --batch-size 25% --pause-on-failure',
  ],
  run: ensureTaskservs,
});
