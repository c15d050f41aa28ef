import { listOf } from '../../../app/request/named.js';
import { encryptFile } from '../../../app/sops/sops-files.js';
import { inputError } from '../../../core/errors.js';
import { RULES, type Rule, type RuleName } from '../../../sops/selection.js';
import { defineCommand } from '../../command.js';
import { writeDocument } from '../../render/document.js';
import { noteOwnKeys } from '../../shared/secrets/note-own-keys.js';

const regex = (which: string) => `encrypt only values ${which}`;

export const command = defineCommand({
  arguments: [['<file>', 'the file: .yaml and .json keep their names legible, .env too, others become one value']],
  options: [
    { flags: '--age <recipients>', about: 'for whom, comma-separated; default: what the .sops.yaml above the file says' },
    { flags: '--encrypted-regex <expression>', about: regex('under names that it is found in') },
    { flags: '--unencrypted-regex <expression>', about: regex('under other names') },
    { flags: '--encrypted-suffix <text>', about: regex('under names with this end') },
    { flags: '--unencrypted-suffix <text>', about: regex('under names with another end (default: _unencrypted)') },
    { flags: '--mac-only-encrypted', about: 'let the checksum go over encrypted values alone, so that others can change' },
  ],
  details:
    'Encrypts it where it is, in the format of SOPS: sops reads it. What it was before may still be in Git, in backups and on the disk.',
  examples: ['secret encrypt secrets/prod.sops.yaml', "secret encrypt app.json --age age1… --encrypted-regex '^(password|key)$'"],
  async run(session, { args: [file = ''], flags }) {
    const rule = ruleIn({
      encrypted_regex: flags.encryptedRegex,
      unencrypted_regex: flags.unencryptedRegex,
      encrypted_suffix: flags.encryptedSuffix,
      unencrypted_suffix: flags.unencryptedSuffix,
    });
    const said = {
      ...(flags.age ? { recipients: listOf([flags.age]) } : {}),
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
