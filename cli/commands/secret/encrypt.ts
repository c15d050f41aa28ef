import { splitList } from '../../../authoring/request/named.js';
import { encryptFile } from '../../../authoring/sops/sops-files.js';
import { inputError } from '../../../core/errors.js';
import { RULES, type Rule, type RuleName } from '../../../sops/selection.js';
import { defineCommand } from '../../command.js';
import { writeDocument } from '../../render/document.js';
import { noteOwnKeys } from '../../shared/secrets/note-own-keys.js';

const regex = (which: string) => `encrypt only values ${which}`;

export const command = defineCommand({
  arguments: [['<file>', 'file: .yaml, .json and .env keep their names readable, other files become one value']],
  options: [
    {
      flags: '--age <recipients>',
      about: 'recipients, comma-separated (default: the recipients of the .sops.yaml above the file)',
    },
    { flags: '--encrypted-regex <expression>', about: regex('under names that it is found in') },
    { flags: '--unencrypted-regex <expression>', about: regex('under other names') },
    { flags: '--encrypted-suffix <text>', about: regex('under names with this end') },
    { flags: '--unencrypted-suffix <text>', about: regex('under names with another end (default: _unencrypted)') },
    {
      flags: '--mac-only-encrypted',
      about: 'compute the checksum only over encrypted values, so that the other values can change',
    },
  ],
  details: 'Encrypts the file in place, in the format of SOPS. Git, backups and the disk may still contain the earlier content.',
  examples: ['secret encrypt secrets/prod.sops.yaml', "secret encrypt app.json --age age1… --encrypted-regex '^(password|key)$'"],
  async run(session, { args: [file = ''], flags }) {
    const rule = ruleIn({
      encrypted_regex: flags.encryptedRegex,
      unencrypted_regex: flags.unencryptedRegex,
      encrypted_suffix: flags.encryptedSuffix,
      unencrypted_suffix: flags.unencryptedSuffix,
    });
    const said = {
      ...(flags.age ? { recipients: splitList([flags.age]) } : {}),
      ...(rule ? { rule } : {}),
      ...(flags.macOnlyEncrypted ? { macOnlyEncrypted: true } : {}),
    };
    const { recipients } = await encryptFile(session, file, said);
    await noteOwnKeys(session, recipients);
    if (session.json) writeDocument(session, { file, encrypted: true, recipients });
    else session.out.write(`encrypted: ${file} (for ${recipients.join(', ')})\n`);
    return 0;
  },
});

function ruleIn(said: Partial<Record<RuleName, string>>): Rule | undefined {
  const [rule, other] = RULES.flatMap((name): Rule[] => (said[name] === undefined ? [] : [{ name, text: said[name] }]));
  if (!rule || !other) return rule;
  const option = ({ name }: Rule) => `--${name.replaceAll('_', '-')}`;
  throw inputError({
    code: 'bad-arguments',
    what: 'read the command line',
    why: `${option(rule)} and ${option(other)} exclude each other`,
  });
}
