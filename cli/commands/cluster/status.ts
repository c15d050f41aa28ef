import { locksOf } from '../../../app/request/locks.js';
import { inventories } from '../../../app/request/which-infra.js';
import { defineCommand } from '../../command.js';
import { paintFor } from '../../program/screen.js';
import { writeDocument } from '../../render/document.js';
import { serversOf, serverTable, servicesOf, serviceTable } from '../../render/inventory.js';
import { locksTable } from '../../render/locks.js';

export const command = defineCommand({
  arguments: [['[infra]', 'an infra; without a name all of them']],
  details: 'Shows what was last recorded, and which operations work on it now.',
  async run(session, { args: [infra] }) {
    const found = await inventories(session, infra);
    const locks = await locksOf(session, found);
    const servers = serversOf(found);
    const services = servicesOf(found);
    if (session.json) {
      writeDocument(session, { servers: servers.map((row) => ({ infra: row.infra, ...row.server })), services, locks });
      return 0;
    }
    const paint = paintFor(session.out);
    session.out.write(`${serverTable(servers, paint)}\n${serviceTable(services, paint)}${locksTable(locks, paint)}`);
    return 0;
  },
});
