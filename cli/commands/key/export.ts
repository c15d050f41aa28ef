import { resolve } from 'node:path';
import { inputError } from '../../../core/errors.js';
import { quote } from '../../../core/host/shell.js';
import { noteExport } from '../../../encryption/exported-keys.js';
import { createKeyFile } from '../../../encryption/keys.js';
import { exportLocalKeys } from '../../../encryption/kms/local-keys.js';
import { type RecoveryCopy, sealRecoveryCopy } from '../../../encryption/recovery-copy.js';
import { createFile } from '../../../home/durable.js';
import { findKeyPlace } from '../../../members/keys/key-place.js';
import { defineCommand } from '../../command.js';
import type { Session } from '../../program/session.js';
import { writeDocument } from '../../render/document.js';
import { promptPassphrase } from '../../shared/keys/passphrase.js';

export const command = defineCommand({
  arguments: [['<file>', 'file to write: a new file, mode 600']],
  options: [
    { flags: '--recipient <age1…>', about: 'encrypt the copy for an age recipient instead of a passphrase', repeated: true },
  ],
  details:
    'Writes all encryption keys of the platform, and the wrapping key of this machine, as an age file. The file and its passphrase open all encrypted data: keep it away from the home and its backups. `backup create` requires an exported copy for a complete backup.\nThe passphrase is prompted for without being shown, or read from standard input.',
  examples: ['key export recovery.age', 'key export recovery.age --recipient age1…'],
  async run(session, { args: [file = ''], flags }) {
    const path = resolve(file);
    const copy = await copyOf(session);
    const recipients = flags.recipient ?? [];
    const lock = recipients.length > 0 ? { recipients } : { passphrase: await promptPassphrase(session, 'new', 'recovery copy') };
    if (!(await createFile(path, await sealRecoveryCopy(copy, lock)))) throw exists(path);
    const keys = copy.keys.map(({ id }) => id);
    const by = recipients.length > 0 ? 'recipient' : 'passphrase';
    await noteExport(session.home.encryption, { at: new Date().toISOString(), file: path, by, keys });
    if (session.json) writeDocument(session, { file: path, setUp: copy.setUp, keys });
    else
      session.out.write(
        `wrote ${path}: ${keys.length === 1 ? 'the key' : 'the keys'} ${keys.join(', ')} of the set-up ${copy.setUp}\n` +
          `keep it in another place than the backups: \`provisioning backup verify ARCHIVE --recovery ${quote(path)}\` proves that it opens one\n`,
      );
    return 0;
  },
});

async function copyOf(session: Session): Promise<RecoveryCopy> {
  const place = await findKeyPlace(session);
  const file = createKeyFile(place);
  const read = await file.read();
  if (read.length === 0) {
    const hint = 'provisioning up creates a key; keys from PROVISIONING_ENCRYPTION_KEYS are kept at their source';
    throw inputError({
      code: 'no-encryption-key',
      what: 'export the encryption keys',
      on: file.path,
      why: 'the home has no key',
      hint,
    });
  }
  const setUp = (await file.setUp()) ?? (await place.setUp?.()) ?? '';
  const keys = read.map(({ id, since = '', secret }) => ({ id, since, secret: secret.export() }));
  return { setUp, wrapping: await exportLocalKeys({ setUp, env: place.env }), keys };
}

const exists = (on: string) =>
  inputError({
    code: 'recovery-copy',
    what: 'write the recovery copy',
    on,
    why: 'a file with this name exists',
    hint: 'choose a new file',
  });
