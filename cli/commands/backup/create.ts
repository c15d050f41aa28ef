import type { BackupMade } from '../../../core/engine/backup.js';
import { EXIT } from '../../../core/exit-codes.js';
import { defineCommand } from '../../command.js';
import { paintFor } from '../../program/screen.js';
import { backupText, recoveryText } from '../../render/backup/backup.js';
import { writeDocument } from '../../render/document.js';
import { backupFolder, runBackup } from '../../shared/backup.js';

export const command = defineCommand({
  options: [
    { flags: '--out <file>', about: 'the archive to write (default: one named by the time, in backups/ of the home)' },
    { flags: '--no-logs', about: 'leave out what hosts printed' },
  ],
  details:
    'Operations go on meanwhile. The archive is encrypted with the key of the set-up, which is not in it: `provisioning key export FILE` writes the recovery copy to keep with it. Until that was done for the current keys the backup is written and called incomplete, with exit code 1. A Temporal service that is configured is not in it.',
  examples: ['backup create', 'backup create --out /mnt/backups/monday.tar'],
  async run(session, { flags: { out, logs } }) {
    const folder = out ? undefined : await backupFolder(session);
    const given = [
      ...(out ? [`--out=${out}`] : []),
      ...(folder ? [`--folder=${folder}`] : []),
      ...(logs === false ? ['--no-logs'] : []),
    ];
    const { result, exitCode } = await runBackup<BackupMade>(session, 'create', ...given);
    if (session.json) writeDocument(session, result);
    else session.out.write(backupText(result, [], paintFor(session.out)) + recoveryText(result, paintFor(session.out)));
    return result.complete ? exitCode : EXIT.failed;
  },
});
