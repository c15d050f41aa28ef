import { askSecrets } from '../../../client/ask-secrets.js';
import { defineCommand } from '../../command.js';
import { writeDocument } from '../../render/document.js';

export const command = defineCommand({
  details:
    'Lists names and scopes: an infra, this workspace, all workspaces (shared), or only the worker (account). Values are\nnever shown. Secrets from the environment (PROVISIONING_SECRET_NAME) are not listed.',
  async run(session) {
    const kept = await askSecrets(session, (secrets) => secrets.list({ workspace: session.workspace }));
    if (session.json) {
      writeDocument(session, { secrets: [...new Set(kept.map(({ name }) => name))], kept });
      return 0;
    }
    const width = Math.max(...kept.map(({ name }) => name.length));
    const lines = kept.map(({ name, scope, infra }) => `${name.padEnd(width)}  ${infra ? `infra ${infra}` : scope}`);
    session.out.write(lines.length === 0 ? 'no secrets\n' : `${lines.join('\n')}\n`);
    return 0;
  },
});
