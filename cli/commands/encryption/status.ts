import { keyringFrom } from '../../../encryption/keys.js';
import { isEncrypting } from '../../../encryption/open-encryption.js';
import { defineCommand } from '../../command.js';
import { columns, paintFor } from '../../program/screen.js';
import { writeDocument } from '../../render/document.js';

export const command = defineCommand({
  details: 'Shows ids and sources, never keys. Everything encrypted carries the id of its key.',
  async run(session) {
    const encrypting = isEncrypting(session.env);
    const keyring = await keyringFrom({ folder: session.home.encryption, env: session.env });
    const keys = keyring.list().map(({ id, source, since }, index) => ({ id, current: index === 0, source, since }));
    if (session.json) {
      writeDocument(session, { encrypting, algorithm: 'AES-256-GCM', keys });
      return 0;
    }
    const paint = paintFor(session.out);
    const state = (current: boolean) => (!current ? 'decrypts' : encrypting ? paint('green', 'encrypts') : 'would encrypt');
    const rows = keys.map(({ id, current, source, since }) => [id, state(current), since ?? '', source]);
    const lines = columns([['KEY', 'USE', 'SINCE', 'SOURCE'].map((title) => paint('dim', title)), ...rows]);
    session.out.write(`${lines.join('\n')}\n`);
    if (!encrypting) session.out.write(`${paint('red', 'off:')} PROVISIONING_ENCRYPTION=off, new payloads are plain text\n`);
    return 0;
  },
});
