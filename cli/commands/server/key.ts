import { defineCommand } from '../../command.js';
import { writeDocument } from '../../render/document.js';

export const command = defineCommand({
  arguments: [['<infra>', 'the infra; it need not exist yet']],
  details:
    'Machines that exist already (`host:`) must have this key in authorized_keys, unless the definition names another by `identity`.',
  examples: ['server key quickstart'],
  async run(session, { args: [infra = ''] }) {
    const client = await session.client();
    const key = await client.infras.publicKey({ workspace: session.workspace, infra });
    if (session.json) writeDocument(session, { infra, publicKey: key });
    else session.out.write(`${key}\n`);
    return 0;
  },
});
