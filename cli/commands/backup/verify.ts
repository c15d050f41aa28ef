import type { BackupVerified } from '../../../core/engine/backup.js';
import { defineCommand } from '../../command.js';
import { writeBackup } from '../../render/backup.js';
import { writeDocument } from '../../render/document.js';
import { reportsFor } from '../../render/reports.js';
import { runEngine } from '../../shared/engine.js';

export const command = defineCommand({
  arguments: [['<file>', 'the archive']],
  options: [{ flags: '--key <file>', about: 'a copy of keys.json, where this home has another key' }],
  details:
    'Reads all of it and checks every hash; with the key, also who made it, and that each record and payload can be opened. Exit code 2 when something is damaged, with its name.',
  async run(session, { args: [file], flags: { key } }) {
    const reports = reportsFor(session);
    const args = ['backup', 'verify', ...(key ? [`--key=${key}`] : []), '--', file];
    const { result, exitCode } = await runEngine<BackupVerified>(session, args, reports.report).finally(reports.end);
    if (session.json) writeDocument(session, result);
    else {
      const proven = result.seal === 'authentic';
      writeBackup(session, result, [['seal', proven ? `made with our key; ${result.opened} entries opened` : 'not proven']]);
    }
    return exitCode;
  },
});
