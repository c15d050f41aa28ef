import { askSecrets } from '../../../client/ask-secrets.js';
import { defineCommand, SECRET_SCOPE } from '../../command.js';
import { paintFor } from '../../program/screen.js';
import { writeDocument } from '../../render/document.js';
import { usageTable } from '../../render/secrets.js';
import { findNamedPlace } from '../../shared/secrets/secret-place.js';
import { askKnown } from '../../shared/secrets/unknown-secret.js';
import { usageUnknown } from '../../shared/secrets/usage-unknown.js';

export const command = defineCommand({
  arguments: [['<name>', 'name of the secret']],
  options: SECRET_SCOPE,
  details:
    'Lists infras of the workspace whose services use the secret in their last applied definition; for a credential, the servers of its account. An infra with its own secret of this name uses that secret.',
  examples: ['secret usage redis-password', 'secret usage hetzner/prod/token --json'],
  async run(session, { args: [name], flags }) {
    const named = await findNamedPlace(session, name, flags);
    const { place, scope } = named;
    const unknown = usageUnknown({ what: 'find who uses the secret', on: name, hint: 'provisioning up' });
    const found = await askSecrets(session, (secrets) =>
      askKnown(session, secrets, { command: 'usage', ...named }, () => secrets.usage(place).catch(unknown)),
    );
    const uses = found.uses.map(({ infra, places }) => ({ infra, places }));
    if (session.json) writeDocument(session, { secret: name, scope, uses });
    else session.out.write(usageTable(uses, paintFor(session.out)));
    return 0;
  },
});
