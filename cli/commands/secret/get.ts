import { withSecrets } from '../../../app/definition/definitions.js';
import { findSecret } from '../../../app/secrets/find-secret.js';
import { checkSecretName } from '../../../stores/secrets.js';
import { defineCommand, SECRET_SCOPE } from '../../command.js';
import { writeDocument } from '../../render/document.js';
import { unknownSecret } from '../../shared/secrets/unknown-secret.js';

export const command = defineCommand({
  arguments: [['<name>', 'name of the secret, as `secret list` shows it; generated ones, too']],
  options: [...SECRET_SCOPE, { flags: '--reveal', about: 'print the value, and nothing else but a line break' }],
  details:
    'Without --reveal it says that there is one and for whom it is, never the value. With it a pipe or a file gets the value byte for byte; a terminal gets characters that it would obey written out. What is generated as a pair is given in parts as well: of an authority the name with `/certificate` behind it is what others may have, of a key for SSH that with `/public`.',
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
