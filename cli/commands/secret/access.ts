import { withSecrets } from '../../../authoring/definition/definitions.js';
import { chooseScope } from '../../../authoring/secrets/secret-scope.js';
import { checkSecretName } from '../../../stores/secrets.js';
import { defineCommand, SECRET_SCOPE } from '../../command.js';
import { paintFor } from '../../program/screen.js';
import { writeDocument } from '../../render/document.js';
import { readTable } from '../../render/secrets.js';
import { keptSecret } from '../../shared/secrets/kept-secret.js';

export const command = defineCommand({
  arguments: [['<name>', 'name of the secret']],
  options: SECRET_SCOPE,
  details:
    'Newest first. Lists each operation that received the value, with time and host, and each person who printed it with `secret get --reveal` or `secret export`. An operation has one line per host. At least the last 500 reads are kept, even after the secret was deleted.',
  examples: ['secret access redis-password', 'secret access redis-password --infra shop --json'],
  async run(session, { args: [name], flags }) {
    checkSecretName(name);
    const { scope, reads } = await withSecrets(session, async (store) => {
      const { secrets, scope } = await chooseScope(session, store, name, flags);
      const reads = (await secrets.reads(name)).reverse();
      // One that is gone is known by its reads; of another name it is told what is meant.
      if (reads.length === 0) await keptSecret(session, store, name, flags, 'access');
      return { scope, reads };
    });
    if (session.json) writeDocument(session, { secret: name, scope, reads });
    else session.out.write(readTable(reads, paintFor(session.out)));
    return 0;
  },
});
