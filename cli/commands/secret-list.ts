import type { Command } from '../command.js';
import { withSecrets } from '../definition-file.js';
import { writeDocument } from '../render/document.js';

export const command: Command = {
  details: 'Names only; values are never shown. Those of the environment (PROVISIONING_SECRET_NAME) are not listed.',
  async run(session) {
    const secrets = await withSecrets(session, (store) => store.list());
    if (session.json) writeDocument(session, { secrets });
    else session.out.write(secrets.length === 0 ? 'no secrets\n' : `${secrets.join('\n')}\n`);
    return 0;
  },
};
