import { inventories } from '../../../authoring/request/which-infra.js';
import { defineCommand, INFRA } from '../../command.js';
import { paintFor } from '../../program/screen.js';
import { writeDocument } from '../../render/document.js';
import { serversOf, serverTable } from '../../render/inventory.js';

export const command = defineCommand({
  options: [{ ...INFRA, about: 'only of this infra' }],
  examples: ['server list', 's list --infra shop --json'],
  async run(session, { flags }) {
    const rows = serversOf(await inventories(session, flags.infra));
    if (session.json) writeDocument(session, { servers: rows.map(({ infra, server }) => ({ infra, ...server })) });
    else session.out.write(serverTable(rows, paintFor(session.out)));
    return 0;
  },
});
