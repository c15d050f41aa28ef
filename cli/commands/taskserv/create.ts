import { defineCommand, NARROWED } from '../../command.js';
import { ensureTaskservs, ON_SERVERS } from '../../shared/ensure.js';

export const command = defineCommand({
  arguments: [['[names...]', 'taskservs of the definition (default: all)']],
  options: [...NARROWED, ON_SERVERS],
  details: 'The servers must exist.',
  examples: ['taskserv create redis', 'taskserv create nginx --server web-1,web-2'],
  run: ensureTaskservs,
});
