import { withSecrets } from '../../../authoring/definition/definitions.js';
import { exported, exportedText, sealedFor } from '../../../authoring/secrets/exported.js';
import { VALUE_FORMATS } from '../../../authoring/secrets/read-values.js';
import { inputError } from '../../../core/errors.js';
import { defineCommand, SECRET_SCOPE } from '../../command.js';
import { writeDocument } from '../../render/document.js';

export const command = defineCommand({
  options: [
    ...SECRET_SCOPE,
    { flags: '--format <format>', about: 'format (default: yaml)', choices: VALUE_FORMATS },
    { flags: '--reveal', about: 'print the values' },
    { flags: '--recipient <key>', about: 'encrypt for this age key instead; can be repeated', repeated: true },
  ],
  details:
    'Prints the secrets of the workspace or an infra, or the shared ones, without generated secrets and account credentials. Values are printed only with --reveal, or encrypted for the owners of age keys. `secret access` lists each read.',
  examples: [
    'secret export --reveal --format dotenv > .env',
    'secret export --infra shop --recipient age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p > shop.age',
  ],
  async run(session, { flags }) {
    const { format = 'yaml', recipient = [], reveal, infra, shared } = flags;
    const bad = (why: string, hint?: string) =>
      inputError({ code: 'bad-arguments', what: 'read the command line', why, ...(hint && { hint }) });
    if (!reveal && recipient.length === 0)
      throw bad('values are printed with --reveal, or encrypted with --recipient', '`provisioning secret list` prints names');
    if (reveal && recipient.length > 0) throw bad('--reveal and --recipient exclude each other');
    if (session.json && recipient.length > 0) throw bad('--json and --recipient exclude each other');
    if (infra && shared) throw bad('--infra and --shared exclude each other');
    const seal = recipient.length > 0 ? await sealedFor(recipient) : undefined;
    const values = await withSecrets(session, (store) => exported(session, store, { infra, shared }));
    if (session.json) writeDocument(session, { secrets: Object.fromEntries(values) });
    else {
      const text = exportedText(values, format);
      session.out.data(seal ? await seal(text) : text);
    }
    return 0;
  },
});
