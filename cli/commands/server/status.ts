import { locksOf } from '../../../app/request/locks.js';
import { named } from '../../../app/request/named.js';
import { inventories } from '../../../app/request/which-infra.js';
import { defineCommand, INFRA } from '../../command.js';
import { paintFor } from '../../program/screen.js';
import { writeDocument } from '../../render/document.js';
import { serversOf, serverTable, servicesOf, serviceTable } from '../../render/inventory.js';
import { locksTable } from '../../render/locks.js';

export const command = defineCommand({
  arguments: [['[name]', 'a server; without a name all of them']],
  options: [INFRA],
  details: 'Shows what was last recorded, and which operations work on the servers now.',
  examples: ['server status', 'server status web-1 --infra shop'],
  async run(session, { args: [name], flags }) {
    const all = await inventories(session, flags.infra);
    const found = all.filter(({ servers }) => name === undefined || servers[name]);
    const [first] = all;
    if (found.length === 0 && name !== undefined && first) await named(session, first, { servers: [name] });
    const isMeant = (server: string): boolean => name === undefined || server === name;
    const servers = serversOf(found).filter(({ server }) => isMeant(server.name));
    const services = servicesOf(found).filter(({ server }) => isMeant(server));
    const locks = await locksOf(session, found, (resource) => resource === '*' || isMeant(resource.replace('server/', '')));
    if (session.json) {
      writeDocument(session, { servers: servers.map(({ infra, server }) => ({ infra, ...server })), locks });
      return 0;
    }
    const paint = paintFor(session.out);
    session.out.write(`${serverTable(servers, paint)}\n${serviceTable(services, paint)}${locksTable(locks, paint)}`);
    return 0;
  },
});
