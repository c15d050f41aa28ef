import { splitList } from '../../../authoring/request/named.js';
import { changeRecipients, recipientsOfFile } from '../../../authoring/sops/sops-files.js';
import { defineCommand } from '../../command.js';
import { writeDocument } from '../../render/document.js';
import { noteOwnKeys } from '../../shared/secrets/note-own-keys.js';

export const command = defineCommand({
  arguments: [['<file>', 'a SOPS file']],
  options: [
    { flags: '--add <recipients>', about: 'add these recipients, comma-separated' },
    { flags: '--remove <recipients>', about: 'remove these recipients; they may have read the content' },
  ],
  details:
    'Without an option it lists the recipients, and needs no key. Values keep their encryption. A removed recipient may have read the values, so change them.',
  examples: ['secret recipients secrets/prod.sops.yaml', 'secret recipients secrets/prod.sops.yaml --add age1…'],
  async run(session, { args: [file = ''], flags }) {
    const change = { add: splitList([flags.add ?? '']), remove: splitList([flags.remove ?? '']) };
    const changed = change.add.length + change.remove.length > 0;
    const recipients = changed ? await changeRecipients(session, file, change) : await recipientsOfFile(file);
    if (changed) await noteOwnKeys(session, recipients);
    if (session.json) writeDocument(session, { file, recipients, changed });
    else session.out.write(recipients.map((one) => `${one}\n`).join(''));
    return 0;
  },
});
