import { createExportSealer, formatExport } from '../../../authoring/secrets/exported.js';
import { VALUE_FORMATS } from '../../../authoring/secrets/read-values.js';
import { askSecrets } from '../../../client/ask-secrets.js';
import { inputError } from '../../../core/errors.js';
import { defineCommand, SECRET_SCOPE } from '../../command.js';
import { writeDocument } from '../../render/document.js';
import { OFFLINE } from '../../shared/secrets/offline.js';
import { checkScope } from '../../shared/secrets/secret-place.js';

export const command = defineCommand({
  options: [
    ...SECRET_SCOPE,
    { flags: '--format <format>', about: 'format (default: yaml)', choices: VALUE_FORMATS },
    { flags: '--reveal', about: 'print the values' },
    { flags: '--recipient <key>', about: 'encrypt for this age key instead; can be repeated', repeated: true },
    OFFLINE,
  ],
  details:
    'Prints the secrets of the workspace or an infra, or the shared ones, without generated secrets and account credentials. Values are printed only with --reveal, or encrypted for the owners of age keys. `secret access` lists each read.\nThe worker reads the values. In an emergency, --offline reads them without a worker.',
  examples: [
    'secret export --reveal --format dotenv > .env',
    'secret export --infra shop --recipient age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p > shop.age',
  ],
  async run(session, { flags }) {
    const { format = 'yaml', recipient = [], reveal, offline } = flags;
    const bad = (why: string, hint?: string) =>
      inputError({ code: 'bad-arguments', what: 'read the command line', why, ...(hint && { hint }) });
    if (!reveal && recipient.length === 0)
      throw bad('values are printed with --reveal, or encrypted with --recipient', '`provisioning secret list` prints names');
    if (reveal && recipient.length > 0) throw bad('--reveal and --recipient exclude each other');
    if (session.json && recipient.length > 0) throw bad('--json and --recipient exclude each other');
    const scope = checkScope(flags);
    const seal = recipient.length > 0 ? await createExportSealer(recipient) : undefined;
    const { workspace } = session;
    const values = await askSecrets(session, (secrets) => secrets.export({ workspace, ...scope }), { offline });
    if (session.json) writeDocument(session, { secrets: values });
    else {
      const text = formatExport(new Map(Object.entries(values)), format);
      session.out.data(seal ? await seal(text) : text);
    }
    return 0;
  },
});
