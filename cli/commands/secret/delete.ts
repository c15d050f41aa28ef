import { askSecrets, type SecretMethods } from '../../../client/ask-secrets.js';
import { ProvisioningError } from '../../../core/errors.js';
import { defineCommand, SECRET_SCOPE } from '../../command.js';
import type { Session } from '../../program/session.js';
import { writeDocument } from '../../render/document.js';
import { reportDeclined } from '../../shared/declined.js';
import { needsYes } from '../../shared/needs-yes.js';
import { findNamedPlace, type NamedPlace } from '../../shared/secrets/secret-place.js';
import { askKnown } from '../../shared/secrets/unknown-secret.js';

export const command = defineCommand({
  arguments: [['<name>', 'name of the secret']],
  options: [...SECRET_SCOPE, { flags: '--yes', about: 'delete it without a confirmation even if an infra uses it' }],
  details:
    'Asks for confirmation if an infra of the workspace uses the secret, or if no engine runs to check this. Definitions that refer to a deleted secret no longer load; a generated secret is created again at its next use.',
  examples: ['secret delete redis-password', 'secret delete redis-password --infra shop'],
  async run(session, { args: [name = ''], flags }) {
    const named = await findNamedPlace(session, name, flags);
    const { place, scope } = named;
    const isDeleted = await askSecrets(session, (secrets) =>
      askKnown(session, secrets, { command: 'delete', verb: 'delete', ...named }, async () => {
        await secrets.get(place);
        if (!flags.yes && !(await allows(session, secrets, named))) return false;
        await secrets.delete(place);
        return true;
      }),
    );
    if (!isDeleted) return reportDeclined(session);
    if (session.json) writeDocument(session, { secret: name, deleted: true, scope });
    else session.out.write(`deleted: ${name} (${scope})\n`);
    return 0;
  },
});

/** Asks for a confirmation if the secret is in use, or may be. */
async function allows(session: Session, secrets: SecretMethods, { place, scope }: NamedPlace): Promise<boolean> {
  const found = await secrets.usage(place).catch(whyUnknown);
  if ('uses' in found && found.uses.length === 0) return true;
  needsYes(session, `delete the secret ${place.name}, ${'uses' in found ? 'which is in use' : 'which may be in use'}`);
  const about = 'uses' in found ? found.uses.map(useText).join('\n') : `Cannot tell whether an infra uses it: ${found.why}.`;
  return session.confirm(`${about}\nDelete ${place.name} (${scope}) anyway?`);
}

function whyUnknown(error: unknown): { why: string } {
  if (error instanceof ProvisioningError && error.details.code !== 'unknown-secret') return { why: error.details.why };
  throw error;
}

/** Maximum number of places to list by name. */
const NAMED = 3;

function useText({ infra, places }: { infra: string; places: readonly string[] }): string {
  const more = places.length - NAMED;
  return `${infra} uses it: ${places.slice(0, NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}.`;
}
