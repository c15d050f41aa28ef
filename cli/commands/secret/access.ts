import { askSecrets } from '../../../client/ask-secrets.js';
import { defineCommand, SECRET_SCOPE } from '../../command.js';
import { paintFor } from '../../program/screen.js';
import { writeDocument } from '../../render/document.js';
import { readTable } from '../../render/secrets.js';
import { findNamedPlace } from '../../shared/secrets/secret-place.js';
import { askKnown } from '../../shared/secrets/unknown-secret.js';

export const command = defineCommand({
  arguments: [['<name>', 'name of the secret']],
  options: SECRET_SCOPE,
  details:
    'Newest first. Lists each operation that received the value, with time and host, and each person who printed it with `secret get --reveal` or `secret export`. An operation has one line per host. At least the last 500 reads are kept, even if the secret is deleted.',
  examples: ['secret access redis-password', 'secret access redis-password --infra shop --json'],
  async run(session, { args: [name], flags }) {
    const named = await findNamedPlace(session, name, flags);
    const { place, scope } = named;
    const { reads } = await askSecrets(session, (secrets) =>
      askKnown(session, secrets, { command: 'access', ...named }, () => secrets.access(place)),
    );
    if (session.json) writeDocument(session, { secret: name, scope, reads });
    else session.out.write(readTable(reads, paintFor(session.out)));
    return 0;
  },
});
