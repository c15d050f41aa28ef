import { askPlatform } from '../../../client/ask-platform.js';
import { defineCommand } from '../../command.js';
import { columns, paintFor } from '../../program/screen.js';
import { writeDocument } from '../../render/document.js';

export const command = defineCommand({
  details: 'Shows ids and sources, never keys. All encrypted data names the id of its key.',
  async run(session) {
    const { wrappedBy, ...status } = await askPlatform(session, 'encryption', (encryption) => encryption.status({}));
    const { encrypting, kms, keys } = status;
    const others = wrappedBy.filter((kind) => kind !== kms);
    if (session.json) {
      writeDocument(session, status);
      return 0;
    }
    const paint = paintFor(session.out);
    const state = (current: boolean) => (!current ? 'decrypts' : encrypting ? paint('green', 'encrypts') : 'would encrypt');
    const rows = keys.map(({ id, current, source, since }) => [id, state(current), since ?? '', source]);
    const lines = columns([['KEY', 'USE', 'SINCE', 'SOURCE'].map((title) => paint('dim', title)), ...rows]);
    session.out.write(`${lines.join('\n')}\n`);
    session.out.write(`${paint('dim', 'key service')} ${kms}\n`);
    if (others.includes('plain'))
      session.out.write(`${paint('red', 'plain:')} keys lie in the file as they are; provisioning up wraps them\n`);
    else if (others.length > 0) session.out.write(`wrapped by ${others.join(', ')} as yet: provisioning encryption rewrap\n`);
    if (!encrypting) session.out.write(`${paint('red', 'off:')} PROVISIONING_ENCRYPTION=off, new payloads are plain text\n`);
    return 0;
  },
});
