import { listLocks } from '../../../authoring/request/locks.js';
import { inventories } from '../../../authoring/request/which-infra.js';
import { defineCommand } from '../../command.js';
import { LOOK_OPTIONS, LOOKING_DETAILS, showStatus } from '../../shared/status.js';

export const command = defineCommand({
  arguments: [['[infra]', 'an infra (default: all infras)']],
  options: [...LOOK_OPTIONS],
  details: `Checks hosts and providers in parallel: the state of servers and services, and the operations on them. ${LOOKING_DETAILS}`,
  examples: ['cluster status', 'cluster status shop --json', 'cluster status shop --recorded'],
  async run(session, { args: [infra], flags }) {
    const found = await inventories(session, infra);
    return showStatus(session, found, await listLocks(session, found), flags);
  },
});
