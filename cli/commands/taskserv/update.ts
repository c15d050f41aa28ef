import { defineCommand, NARROWED, UPDATE } from '../../command.js';
import { ensureTaskservs, ON_SERVERS } from '../../shared/ensure.js';

export const command = defineCommand({
  arguments: [['[names...]', 'taskservs of the definition (default: all)']],
  options: [...NARROWED, ON_SERVERS, ...UPDATE],
  details: 'The servers must exist.',
  examples: [
    'taskserv update redis',
    'taskserv update nginx --server web-1,web-2',
    'taskserv update nginx --batch-size 25% --pause-on-failure',
  ],
  run: ensureTaskservs,
});
