import { withSecrets } from '../../../authoring/definition/definitions.js';
import { inputError } from '../../../core/errors.js';
import { defineCommand, SECRET_SCOPE } from '../../command.js';
import { writeDocument } from '../../render/document.js';
import { keptSecret } from '../../shared/secrets/kept-secret.js';

export const command = defineCommand({
  arguments: [['<name>', 'name of the secret']],
  options: [{ flags: '--to <version>', about: 'number of `secret history`', number: true }, ...SECRET_SCOPE],
  details:
    'Makes the value of an earlier version the newest one, with a new number. Hosts get it with the next operation: `secret usage` lists the infras, `taskserv update` applies it.',
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
    const done = await withSecrets(session, async (store) => {
      const { secrets, scope } = await keptSecret(session, store, name, flags, 'rollback');
      const versions = await secrets.history(name);
      const value = await secrets.version(name, to);
      if (value === undefined) {
        const why = `version ${to} is not stored; stored versions: ${versions.map(({ version }) => version).join(', ')}`;
        throw inputError({ code: 'unknown-version', what: 'roll back the secret', on: name, why, hint });
      }
      const recipe = versions.find(({ version }) => version === to)?.recipe;
      await secrets.set(name, value, { by: session.actor, how: `rolled back to ${to}`, ...(recipe && { recipe }) });
      const [newest] = await secrets.history(name);
      return { secret: name, scope, to, version: newest?.version };
    });
    if (session.json) writeDocument(session, done);
    else session.out.write(`rolled back: ${name} (${done.scope}) to ${to}, now version ${done.version}\n`);
    return 0;
  },
});
