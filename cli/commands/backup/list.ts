import type { BackupListed } from '../../../core/engine/backup.js';
import { defineCommand } from '../../command.js';
import { paintFor } from '../../program/screen.js';
import { backupListText } from '../../render/backup/backup.js';
import { writeDocument } from '../../render/document.js';
import { backupFolder } from '../../shared/backup.js';
import { runEngine } from '../../shared/engine.js';

export const command = defineCommand({
  arguments: [['[folder]', 'folder to search (default: backups/ of the home)']],
  details: 'Shows the description in each archive; `backup verify` reads the content.',
  async run(session, { args: [named] }) {
    const folder = await backupFolder(session, named);
    const { result, exitCode } = await runEngine<BackupListed[]>(
      session,
      ['backup', 'list', ...(folder ? ['--', folder] : [])],
      () => {},
    );
    if (session.json) writeDocument(session, result);
    else session.out.write(backupListText(result, paintFor(session.out)));
    return exitCode;
  },
});
