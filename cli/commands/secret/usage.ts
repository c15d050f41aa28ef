import { withSecrets } from '../../../authoring/definition/definitions.js';
import { usesOf } from '../../../authoring/secrets/secret-use.js';
import { unreachableError } from '../../../core/errors.js';
import { defineCommand, SECRET_SCOPE } from '../../command.js';
import { paintFor } from '../../program/screen.js';
import { writeDocument } from '../../render/document.js';
import { usageTable } from '../../render/secrets.js';
import { keptSecret } from '../../shared/secrets/kept-secret.js';

export const command = defineCommand({
  arguments: [['<name>', 'name of the secret']],
  options: SECRET_SCOPE,
  details:
    'Lists infras of the workspace whose services use the secret in their last applied definition; for a credential, the servers of its account. An infra with its own secret of this name uses its own.',
  examples: ['secret usage redis-password', 'secret usage hetzner/prod/token --json'],
  async run(session, { args: [name], flags }) {
    const { scope, found } = await withSecrets(session, async (store) => {
      const { scope } = await keptSecret(session, store, name, flags, 'usage');
      return { scope, found: await usesOf(session, store, { name, scope, infra: flags.infra }) };
    });
    if ('why' in found)
      throw unreachableError({
        code: 'usage-unknown',
        what: 'find who uses the secret',
        on: name,
        why: found.why,
        hint: 'provisioning up',
      });
    const uses = found.uses.map(({ infra, places }) => ({ infra, places }));
    if (session.json) writeDocument(session, { secret: name, scope, uses });
    else session.out.write(usageTable(uses, paintFor(session.out)));
    return 0;
  },
});
