import { defineCommand, NARROW_OPTIONS } from '../../command.js';
import { ensureTaskservs, SERVERS_OPTION } from '../../shared/ensure.js';

export const command = defineCommand({
  arguments: [['[names...]', 'taskservs of the definition (default: all)']],
  options: [...NARROW_OPTIONS, SERVERS_OPTION],
  details: 'The servers must exist.',
  examples: ['taskserv create redis', 'taskserv create nginx --server web-1,web-2'],
  run: ensureTaskservs,
});
