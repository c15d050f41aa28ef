import { askSecrets } from '../../../client/ask-secrets.js';
import { defineCommand, SECRET_SCOPE } from '../../command.js';
import { paintFor } from '../../program/screen.js';
import { writeDocument } from '../../render/document.js';
import { versionTable } from '../../render/secrets.js';
import { findNamedPlace } from '../../shared/secrets/secret-place.js';
import { askKnown } from '../../shared/secrets/unknown-secret.js';

export const command = defineCommand({
  arguments: [['<name>', 'name of the secret']],
  options: SECRET_SCOPE,
  details:
    'Newest first, with time, author and origin. The newest version is in use. Ten versions are kept. Values are never shown.',
  examples: ['secret history redis-password', 'secret history redis-password --infra shop --json'],
  async run(session, { args: [name], flags }) {
    const named = await findNamedPlace(session, name, flags);
    const { place, scope } = named;
    const { versions } = await askSecrets(session, (secrets) =>
      askKnown(session, secrets, { command: 'history', ...named }, () => secrets.history(place)),
    );
    if (session.json) writeDocument(session, { secret: name, scope, versions });
    else session.out.write(versionTable(versions, paintFor(session.out)));
    return 0;
  },
});
