import { withSecrets } from '../../../authoring/definition/definitions.js';
import { findSecret } from '../../../authoring/secrets/find-secret.js';
import { checkSecretName } from '../../../stores/secrets.js';
import { defineCommand, SECRET_SCOPE } from '../../command.js';
import { writeDocument } from '../../render/document.js';
import { unknownSecret } from '../../shared/secrets/unknown-secret.js';

export const command = defineCommand({
  arguments: [['<name>', 'name of the secret, as `secret list` shows it, also of a generated one']],
  options: [...SECRET_SCOPE, { flags: '--reveal', about: 'print only the value and a line break' }],
  details:
    'Without --reveal the command shows only that the secret exists and its scope, never the value. With --reveal a pipe or a file gets the exact bytes; a terminal gets control characters in visible form. Add `/certificate` to the name of an authority, or `/public` to the name of an SSH key, to get its public part.',
  examples: [
    'secret get redis-password',
    'secret get redis-password --infra shop --reveal',
    'secret get tls-key --reveal > key.pem',
    'secret get generated/default/shop/ca/internal/certificate --reveal > authority.pem',
  ],
  async run(session, { args: [name], flags }) {
    checkSecretName(name);
    const { scope, value } = await withSecrets(session, async (store) => {
      const { scope, read } = await findSecret(session, store, name, flags);
      const value = flags.reveal ? await read?.() : undefined;
      if (!read || (flags.reveal && value === undefined)) throw await unknownSecret(session, store, { verb: 'get', name, scope });
      return { scope, value };
    });
    if (session.json) writeDocument(session, { secret: name, set: true, scope, ...(value === undefined ? {} : { value }) });
    else if (value !== undefined) session.out.data(`${value}\n`);
    else session.out.write(`set: ${name} (${scope})\n`);
    return 0;
  },
});
