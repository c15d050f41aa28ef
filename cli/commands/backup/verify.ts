import type { BackupVerified } from '../../../core/engine/backup.js';
import { defineCommand } from '../../command.js';
import { paintFor } from '../../program/screen.js';
import { backupText, sealRow } from '../../render/backup/backup.js';
import { writeDocument } from '../../render/document.js';
import { addRecoveryKeys, runBackup } from '../../shared/backup.js';
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
    const keyed = [...(key ? [`--key=${key}`] : []), ...(recovery ? [`--recovery=${recovery}`] : [])];
    const by = recovery ? addRecoveryKeys(session, await recoveryCopyAt(session, recovery, identity)) : session;
    const { result, exitCode } = await runBackup<BackupVerified>(by, 'verify', ...keyed, '--', file);
    if (session.json) writeDocument(session, result);
    else session.out.write(backupText(result, [sealRow(result)], paintFor(session.out)));
    return exitCode;
  },
});
