import { listLocks } from '../../../authoring/request/locks.js';
import { selectNamed } from '../../../authoring/request/named.js';
import { inventories } from '../../../authoring/request/which-infra.js';
import { defineCommand, INFRA } from '../../command.js';
import { LOOK_OPTIONS, LOOKING_DETAILS, showStatus } from '../../shared/status.js';

export const command = defineCommand({
  arguments: [['[name]', 'a server (default: all servers)']],
  options: [INFRA, ...LOOK_OPTIONS],
  details: `Checks hosts and providers in parallel: the state of servers and services, and the operations on\nthem. ${LOOKING_DETAILS}`,
  examples: ['server status', 'server status web-1 --infra shop', 'server status --recorded'],
  async run(session, { args: [name], flags }) {
    const all = await inventories(session, flags.infra);
    const found = all.filter(({ servers }) => name === undefined || servers[name]);
    const [first] = all;
    if (found.length === 0 && name !== undefined && first) await selectNamed(session, first, { servers: [name] });
    const isMeant = (resource: string): boolean => name === undefined || resource === '*' || resource === `server/${name}`;
    return showStatus(session, found, await listLocks(session, found, isMeant), { ...flags, server: name });
  },
});
