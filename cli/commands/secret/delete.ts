import { withSecrets } from '../../../app/definition/definitions.js';
import { chooseScope, listSecrets } from '../../../app/secrets/secret-scope.js';
import { inputError } from '../../../core/errors.js';
import { didYouMean } from '../../../definition/source/did-you-mean.js';
import { defineCommand, SECRET_SCOPE } from '../../command.js';
import { writeDocument } from '../../render/document.js';

export const command = defineCommand({
  arguments: [['<name>', 'name of the secret']],
  options: SECRET_SCOPE,
  details: 'Definitions that refer to it no longer load; one that was generated is made again at its next use.',
  examples: ['secret delete redis-password', 'secret delete redis-password --infra shop'],
  async run(session, { args: [name = ''], flags }) {
    const scope = await withSecrets(session, async (store) => {
      const chosen = await chooseScope(session, store, name, flags);
      if (await chosen.secrets.delete(name)) return chosen.scope;
      const kept = await listSecrets(session, store);
      const elsewhere = kept.find((one) => one.name === name);
      const option = elsewhere?.scope === 'infra' ? `--infra ${elsewhere.infra}` : elsewhere?.scope === 'shared' ? '--shared' : '';
      throw inputError({
        code: 'unknown-secret',
        what: 'delete the secret',
        on: name,
        why: `it is not set for ${chosen.scope}`,
        hint: elsewhere
          ? `provisioning secret delete ${name} ${option}`.trim()
          : didYouMean(name, new Set(kept.map((one) => one.name))),
      });
    });
    if (session.json) writeDocument(session, { secret: name, deleted: true, scope });
    else session.out.write(`deleted: ${name} (${scope})\n`);
    return 0;
  },
});
