import { askSecrets } from '../../../client/ask-secrets.js';
import { inputError, ProvisioningError } from '../../../core/errors.js';
import { defineCommand, SECRET_SCOPE } from '../../command.js';
import { writeDocument } from '../../render/document.js';
import { findNamedPlace } from '../../shared/secrets/secret-place.js';
import { askKnown } from '../../shared/secrets/unknown-secret.js';

export const command = defineCommand({
  arguments: [['<name>', 'name of the secret']],
  options: [{ flags: '--to <version>', about: 'number of `secret history`', number: true }, ...SECRET_SCOPE],
  details:
    'Makes the value of an earlier version the newest one, with a new number. Hosts get it with the next operation: `secret usage` lists the infras, `taskserv update` applies it. The certificates of an authority follow it: those that the authority of that version did not sign get a new key and its signature.',
  examples: ['secret rollback redis-password --to 2', 'secret rollback redis-password --to 2 --infra shop'],
  async run(session, { args: [name], flags }) {
    const { to } = flags;
    const hint = `provisioning secret history ${name}`;
    if (to === undefined)
      throw inputError({
        code: 'bad-arguments',
        what: 'read the command line',
        on: '--to',
        why: 'the version is missing',
        hint,
      });
    const named = await findNamedPlace(session, name, flags);
    const { place, scope } = named;
    const { version, more } = await askSecrets(session, (secrets) =>
      askKnown(session, secrets, { command: 'rollback', ...named }, () => secrets.rollback({ ...place, to })),
    ).catch((error: unknown) => {
      if (!(error instanceof ProvisioningError) || error.details.code !== 'unknown-version') throw error;
      throw new ProvisioningError({ ...error.details, hint }, { cause: error });
    });
    if (session.json) writeDocument(session, { secret: name, scope, to, version, more });
    else {
      session.out.write(`rolled back: ${name} (${scope}) to ${to}, now version ${version}\n`);
      for (const certificate of more) session.out.write(`signed again: ${certificate}\n`);
    }
    return 0;
  },
});
