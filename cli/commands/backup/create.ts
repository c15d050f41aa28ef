import type { BackupMade } from '../../../core/engine/backup.js';
import { defineCommand } from '../../command.js';
import { writeBackup } from '../../render/backup.js';
import { writeDocument } from '../../render/document.js';
import { reportsFor } from '../../render/reports.js';
import { runEngine } from '../../shared/engine.js';

export const command = defineCommand({
  options: [
    { flags: '--out <file>', about: 'the archive to write (default: one named by the time, in backups/ of the home)' },
    { flags: '--no-logs', about: 'leave out what hosts printed' },
  ],
  details:
    'Operations go on meanwhile. The archive is encrypted with the key of the set-up, which is not in it: keep a copy of encryption/keys.json elsewhere. A Temporal service that is configured is not in it either.',
  examples: ['backup create', 'backup create --out /mnt/backups/monday.tar'],
  async run(session, { flags }) {
    const args = ['backup', 'create', ...(flags.out ? [`--out=${flags.out}`] : []), ...(flags.logs === false ? ['--no-logs'] : [])];
    const reports = reportsFor(session);
    const { result, exitCode } = await runEngine<BackupMade>(session, args, reports.report).finally(reports.end);
    if (session.json) writeDocument(session, result);
    else writeBackup(session, result, []);
    return exitCode;
  },
});
