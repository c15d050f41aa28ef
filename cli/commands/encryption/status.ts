import { keyFileOf, keyringFrom } from '../../../encryption/keys.js';
import { kmsKindOf } from '../../../encryption/kms/open-kms.js';
import { isEncrypting } from '../../../encryption/open-encryption.js';
import { keyPlaceOf } from '../../../members/keys/key-place.js';
import { defineCommand } from '../../command.js';
import { columns, paintFor } from '../../program/screen.js';
import { writeDocument } from '../../render/document.js';

export const command = defineCommand({
  details: 'Shows ids and sources, never keys. All encrypted data names the id of its key.',
  async run(session) {
    const place = await keyPlaceOf(session);
    const encrypting = isEncrypting(place.env);
    const keyring = await keyringFrom(place);
    const [kms, wrappedBy] = [kmsKindOf(place.env), await keyFileOf(place).wrappedBy()];
    const others = wrappedBy.filter((kind) => kind !== kms);
    const keys = keyring.list().map(({ id, source, since }, index) => ({ id, current: index === 0, source, since }));
    if (session.json) {
      writeDocument(session, { encrypting, algorithm: 'AES-256-GCM', kms, keys });
      return 0;
    }
    const paint = paintFor(session.out);
    const state = (current: boolean) => (!current ? 'decrypts' : encrypting ? paint('green', 'encrypts') : 'would encrypt');
    const rows = keys.map(({ id, current, source, since }) => [id, state(current), since ?? '', source]);
    const lines = columns([['KEY', 'USE', 'SINCE', 'SOURCE'].map((title) => paint('dim', title)), ...rows]);
    session.out.write(`${lines.join('\n')}\n`);
    session.out.write(`${paint('dim', 'key service')} ${kms}\n`);
    if (others.includes(undefined))
      session.out.write(`${paint('red', 'plain:')} keys lie in the file as they are; provisioning up wraps them\n`);
    else if (others.length > 0) session.out.write(`wrapped by ${others.join(', ')} as yet: provisioning encryption rewrap\n`);
    if (!encrypting) session.out.write(`${paint('red', 'off:')} PROVISIONING_ENCRYPTION=off, new payloads are plain text\n`);
    return 0;
  },
});
