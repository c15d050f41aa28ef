import { inventories } from '../../../authoring/request/which-infra.js';
import { defineCommand } from '../../command.js';
import { paintFor } from '../../program/screen.js';
import { writeDocument } from '../../render/document.js';
import { renderTable, servicesOf } from '../../render/inventory.js';

export const command = defineCommand({
  async run(session) {
    const infras = (await inventories(session)).map((inventory) => {
      const services = servicesOf([inventory]);
      return {
        infra: inventory.infra,
        servers: Object.keys(inventory.servers).length,
        services: services.length,
      };
    });
    if (session.json) writeDocument(session, { infras });
    else {
      const rows = infras.map(({ infra, servers, services }) => [infra, `${servers}`, `${services}`]);
      session.out.write(renderTable(['INFRA', 'SERVERS', 'SERVICES'], rows, 'no infras', paintFor(session.out)));
    }
    return 0;
  },
});
