import { withSecrets } from '../../../authoring/definition/definitions.js';
import { defineCommand, SECRET_SCOPE } from '../../command.js';
import { paintFor } from '../../program/screen.js';
import { writeDocument } from '../../render/document.js';
import { versionTable } from '../../render/secrets.js';
import { keptSecret } from '../../shared/secrets/kept-secret.js';

export const command = defineCommand({
  arguments: [['<name>', 'name of the secret']],
  options: SECRET_SCOPE,
  details:
    'Newest first, with time, author and origin. The newest version is in use. Ten versions are kept. Values are never shown.',
  examples: ['secret history redis-password', 'secret history redis-password --infra shop --json'],
  async run(session, { args: [name], flags }) {
    const { scope, versions } = await withSecrets(session, async (store) => {
      const { secrets, scope } = await keptSecret(session, store, name, flags, 'history');
      return { scope, versions: await secrets.history(name) };
    });
    if (session.json) writeDocument(session, { secret: name, scope, versions });
    else session.out.write(versionTable(versions, paintFor(session.out)));
    return 0;
  },
});
