import { withSecrets } from '../../../authoring/definition/definitions.js';
import { chooseScope, isKept } from '../../../authoring/secrets/secret-scope.js';
import { type SecretUse, usesOf } from '../../../authoring/secrets/secret-use.js';
import type { SecretStore } from '../../../stores/secrets.js';
import { defineCommand, SECRET_SCOPE } from '../../command.js';
import type { Session } from '../../program/session.js';
import { writeDocument } from '../../render/document.js';
import { declined } from '../../shared/declined.js';
import { needsYes } from '../../shared/needs-yes.js';
import { unknownSecret } from '../../shared/secrets/unknown-secret.js';

export const command = defineCommand({
  arguments: [['<name>', 'name of the secret']],
  options: [...SECRET_SCOPE, { flags: '--yes', about: 'delete it without a confirmation even if an infra uses it' }],
  details:
    'Asks for confirmation if an infra of the workspace uses the secret, or if no engine runs to check this. Definitions that refer to a deleted secret no longer load; a generated secret is created again at its next use.',
  examples: ['secret delete redis-password', 'secret delete redis-password --infra shop'],
  async run(session, { args: [name = ''], flags }) {
    const deleted = await withSecrets(session, async (store) => {
      const chosen = await chooseScope(session, store, name, flags);
      const { secrets, scope } = chosen;
      if (!(await isKept(session, store, name, chosen, flags.infra)))
        throw await unknownSecret(session, store, { verb: 'delete', name, scope });
      if (!flags.yes && !(await allows(session, store, { name, scope, infra: flags.infra }))) return undefined;
      await secrets.delete(name);
      return { secret: name, deleted: true, scope };
    });
    if (!deleted) return declined(session);
    if (session.json) writeDocument(session, deleted);
    else session.out.write(`deleted: ${name} (${deleted.scope})\n`);
    return 0;
  },
});

/** Asks a person where something uses it, or may. */
async function allows(session: Session, store: SecretStore, whose: Parameters<typeof usesOf>[2]): Promise<boolean> {
  const found = await usesOf(session, store, whose);
  if ('uses' in found && found.uses.length === 0) return true;
  needsYes(session, `delete the secret ${whose.name}, ${'uses' in found ? 'which is in use' : 'which may be in use'}`);
  const about = 'uses' in found ? found.uses.map(useText).join('\n') : `Cannot tell whether an infra uses it: ${found.why}.`;
  return session.confirm(`${about}\nDelete ${whose.name} (${whose.scope}) all the same?`);
}

/** Places that are named; of more, how many. */
const NAMED = 3;

function useText({ infra, places }: SecretUse): string {
  const more = places.length - NAMED;
  return `${infra} uses it: ${places.slice(0, NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}.`;
}
