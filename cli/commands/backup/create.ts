import { EXIT } from '../../../core/exit-codes.js';
import { defineCommand } from '../../command.js';
import { paintFor } from '../../program/screen.js';
import { backupText, recoveryText } from '../../render/backup/backup.js';
import { writeDocument } from '../../render/document.js';
import { backupPlace, watchBackup } from '../../shared/backup.js';

export const command = defineCommand({
  options: [
    { flags: '--out <file>', about: 'archive to write (default: a name with the time, in backups/ of the home)' },
    { flags: '--no-logs', about: 'exclude the output of hosts' },
  ],
  details:
    'Operations continue during the backup. The worker writes the archive as its own user; without a worker, the command writes it. The archive is encrypted with the key of the platform, which it does not contain. Store it together with the recovery copy that `provisioning key export FILE` writes. Without a recovery copy of the current keys the backup is incomplete (exit code 1). The archive does not contain an external Temporal service.',
  examples: ['backup create', 'backup create --out /mnt/backups/monday.tar'],
  async run(session, { flags: { out, logs = true } }) {
    const where = await backupPlace(session, { option: '--out', file: out });
    const { name: _, ...result } = await watchBackup(session, (backups) => backups.create({ ...where, logs }));
    if (session.json) writeDocument(session, result);
    else session.out.write(backupText(result, [], paintFor(session.out)) + recoveryText(result, paintFor(session.out)));
    return result.complete ? EXIT.done : EXIT.failed;
  },
});
