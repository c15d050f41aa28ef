import { bytesOf, changeRecipients } from '../../../app/sops/sops-files.js';
import { readSopsFile } from '../../../sops/sops-file.js';
import { defineCommand } from '../../command.js';
import { writeDocument } from '../../render/document.js';

const listIn = (text: string | undefined) =>
  (text ?? '')
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean);

export const command = defineCommand({
  arguments: [['<file>', 'a SOPS file']],
  options: [
    { flags: '--add <recipients>', about: 'let these open it too, comma-separated' },
    { flags: '--remove <recipients>', about: 'let these no longer open it; they may have read what it holds' },
  ],
  details:
    'Without an option it lists who can open the file, and needs no key. Values keep their encryption: who was removed may know them, so change them.',
  examples: ['secret recipients secrets/prod.sops.yaml', 'secret recipients secrets/prod.sops.yaml --add age1…'],
  async run(session, { args: [file = ''], flags }) {
    const change = { add: listIn(flags.add), remove: listIn(flags.remove) };
    const changed = change.add.length + change.remove.length > 0;
    const recipients = changed ? await changeRecipients(session, file, change) : await listed(file);
    if (session.json) writeDocument(session, { file, recipients, changed });
    else session.out.write(recipients.map((one) => `${one}\n`).join(''));
    return 0;
  },
});

async function listed(file: string): Promise<string[]> {
  const { metadata } = readSopsFile(file, await bytesOf(file));
  return [...metadata.age.map(({ recipient }) => recipient), ...metadata.services];
}
