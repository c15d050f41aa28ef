import { resolve } from 'node:path';
import { noteExport } from '../../../encryption/exported-keys.js';
import { createKeyFile } from '../../../encryption/keys.js';
import { importLocalKeys } from '../../../encryption/kms/local-keys.js';
import { kmsKindOf } from '../../../encryption/kms/open-kms.js';
import { findKeyPlace } from '../../../members/keys/key-place.js';
import { defineCommand } from '../../command.js';
import { writeDocument } from '../../render/document.js';
import { recoveryCopyAt } from '../../shared/keys/recovery-copy.js';

export const command = defineCommand({
  arguments: [['<file>', 'recovery copy from `key export`']],
  options: [{ flags: '--identity <file>', about: 'age identity for which the copy is encrypted' }],
  details:
    'Imports the keys that the home lacks or cannot open, and wraps them with the configured key service. Other keys stay unchanged. Use it also on a new machine, before `backup restore`.\nThe passphrase is prompted for without being shown, or read from standard input.',
  examples: ['key import recovery.age', 'key import recovery.age --identity age-identity.txt'],
  async run(session, { args: [file = ''], flags }) {
    const path = resolve(file);
    const { setUp, wrapping, keys } = await recoveryCopyAt(session, path, flags.identity);
    const { folder, env } = await findKeyPlace(session);
    const restored = kmsKindOf(env) === 'local' ? await importLocalKeys({ setUp, env }, wrapping) : 0;
    const count = await createKeyFile({ folder, env, setUp: async () => setUp }).takeUp(keys);
    const by = flags.identity ? 'recipient' : 'passphrase';
    await noteExport(folder, { at: new Date().toISOString(), file: path, by, keys: keys.map(({ id }) => id) });
    if (session.json)
      writeDocument(session, { file: path, setUp, keys: keys.map(({ id }) => id), taken: count, wrapping: restored });
    else session.out.write(`${said(restored, count, keys.length)}\n`);
    return 0;
  },
});

function said(restored: number, count: number, all: number): string {
  if (restored === 0 && count === 0) return 'nothing to do: the home has these keys and can open them';
  const done = [
    ...(restored > 0 ? ['restored the wrapping key of this machine'] : []),
    ...(count > 0 ? [`took up ${count} of ${all} keys`] : []),
  ];
  return done.join(', ');
}
