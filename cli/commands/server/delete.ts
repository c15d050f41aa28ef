import { selectNamed, splitList } from '../../../authoring/request/named.js';
import { subject } from '../../../authoring/request/which-infra.js';
import { defineCommand, NARROW_OPTIONS } from '../../command.js';
import { operate } from '../../shared/operate.js';

export const command = defineCommand({
  arguments: [['<names...>', 'servers to delete']],
  options: NARROW_OPTIONS,
  details: 'The next apply creates them again, unless the definition no longer names them.',
  examples: ['server delete web-3', 'server delete web-3 --yes'],
  async run(session, { args, flags }) {
    const about = await subject(session, flags);
    const chosen = await selectNamed(session, about, { servers: splitList(args) });
    return operate(session, flags, { kind: 'server', ...about, intent: { verb: 'delete', ...chosen }, destroysByName: true });
  },
});
