import type { BackupVerified } from '../../../core/engine/backup.js';
import { defineCommand } from '../../command.js';
import { paintFor } from '../../program/screen.js';
import { backupText, sealRow } from '../../render/backup/backup.js';
import { writeDocument } from '../../render/document.js';
import { runBackup } from '../../shared/backup.js';

export const command = defineCommand({
  arguments: [['<file>', 'the archive']],
  options: [{ flags: '--key <file>', about: 'a copy of keys.json, where this home has another key' }],
  details:
    'Reads all of it and checks every hash; with the key, also who made it, and that each record and payload can be opened. Exit code 2 when something is damaged, with its name.',
  async run(session, { args: [file], flags: { key } }) {
    const { result, exitCode } = await runBackup<BackupVerified>(session, 'verify', ...(key ? [`--key=${key}`] : []), '--', file);
    if (session.json) writeDocument(session, result);
    else session.out.write(backupText(result, [sealRow(result)], paintFor(session.out)));
    return exitCode;
  },
});
