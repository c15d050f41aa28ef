import { selectNamed, splitList } from '../../../authoring/request/named.js';
import { subject } from '../../../authoring/request/which-infra.js';
import { defineCommand, NARROW_OPTIONS } from '../../command.js';
import { SERVERS_OPTION } from '../../shared/ensure.js';
import { operate } from '../../shared/operate.js';

export const command = defineCommand({
  arguments: [['<names...>', 'taskservs to remove']],
  options: [...NARROW_OPTIONS, SERVERS_OPTION],
  details: 'The README of each taskserv lists other data that stays.',
  examples: ['taskserv delete redis', 'taskserv delete nginx --server web-1'],
  async run(session, { args, flags }) {
    const about = await subject(session, flags);
    const chosen = await selectNamed(session, about, { taskservs: splitList(args), servers: splitList([flags.server ?? '']) });
    return operate(session, flags, { kind: 'taskserv', ...about, intent: { verb: 'delete', ...chosen } });
  },
});
