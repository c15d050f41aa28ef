import { defineCommand } from '../../command.js';
import { writeDocument } from '../../render/document.js';

export const command = defineCommand({
  arguments: [['<infra>', 'infra; it does not have to exist yet']],
  details: 'Existing machines (`host:`) need this key in authorized_keys, unless the definition sets another `identity`.',
  examples: ['server key quickstart'],
  async run(session, { args: [infra = ''] }) {
    const client = await session.client();
    const key = await client.infras.publicKey({ workspace: session.workspace, infra });
    if (session.json) writeDocument(session, { infra, publicKey: key });
    else session.out.write(`${key}\n`);
    return 0;
  },
});
