import type { Command } from '../command.js';
import { secretsOf } from '../definition-file.js';
import { writeDocument } from '../render/document.js';

export const command: Command = {
  details: 'Names only; values are never shown. Those of the environment (PROVISIONING_SECRET_NAME) are not listed.',
  async run(session) {
    const secrets = await secretsOf(session).list();
    if (session.json) writeDocument(session, { secrets });
    else session.out.write(secrets.length === 0 ? 'no secrets\n' : `${secrets.join('\n')}\n`);
    return 0;
  },
};
