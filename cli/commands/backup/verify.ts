import { resolve } from 'node:path';
import { isRemote } from '../../../client/ask-platform.js';
import type { BackupVerification } from '../../../core/engine/backup.js';
import { defineCommand } from '../../command.js';
import { paintFor } from '../../program/screen.js';
import type { Session } from '../../program/session.js';
import { backupText, sealRow } from '../../render/backup/backup.js';
import { writeDocument } from '../../render/document.js';
import { addRecoveryKeys, runBackup, watchBackup } from '../../shared/backup.js';
import { recoveryCopyAt } from '../../shared/keys/recovery-copy.js';

export const command = defineCommand({
  arguments: [['<file>', 'archive to verify']],
  options: [
    { flags: '--key <file>', about: 'copy of keys.json, if this home has another key' },
    { flags: '--recovery <file>', about: 'recovery copy: proves that it opens the backup without another key' },
    { flags: '--identity <file>', about: 'age identity for which the recovery copy is encrypted' },
  ],
  details:
    'Reads the whole archive and checks every hash. With the key it also checks the author, and opens each record and payload. Exit code 2 if something is damaged, with its name, or if the recovery copy does not open the backup.',
  examples: ['backup verify monday.tar', 'backup verify monday.tar --recovery recovery.age'],
  async run(session, { args: [file], flags: { key, recovery, identity } }) {
    const result = key || recovery ? await verifyWithCopy(session, file, { key, recovery, identity }) : await verify(session, file);
    if (session.json) writeDocument(session, result);
    else session.out.write(backupText(result, [sealRow(result)], paintFor(session.out)));
    return 0;
  },
});

/** Verifies with the keys of the platform. */
async function verify(session: Session, file: string): Promise<BackupVerification> {
  // Another user's worker accepts only a name in the folder of backups.
  const asked = isRemote(session) ? { name: file } : { file: resolve(session.cwd, file) };
  const { name: _, ...result } = await watchBackup(session, (backups) => backups.verify(asked));
  return result;
}

/** Verifies with keys from a user's files: the exception `copy` of `WITHOUT_WORKER`. */
async function verifyWithCopy(
  session: Session,
  file: string,
  { key, recovery, identity }: Partial<Record<'key' | 'recovery' | 'identity', string | undefined>>,
): Promise<BackupVerification> {
  const keyed = [...(key ? [`--key=${key}`] : []), ...(recovery ? [`--recovery=${recovery}`] : [])];
  const by = recovery ? addRecoveryKeys(session, await recoveryCopyAt(session, recovery, identity)) : session;
  return (await runBackup<BackupVerification>(by, 'verify', ...keyed, '--', file)).result;
}
