import { askPlatform } from '../../../client/ask-platform.js';
import { defineCommand } from '../../command.js';
import { paintFor } from '../../program/screen.js';
import { backupListText } from '../../render/backup/backup.js';
import { writeDocument } from '../../render/document.js';
import { backupPlace } from '../../shared/backup.js';

export const command = defineCommand({
  arguments: [['[folder]', 'folder to search (default: backups/ of the home)']],
  details: 'Shows the description in each archive; `backup verify` reads the content.',
  async run(session, { args: [named] }) {
    const where = await backupPlace(session, { option: 'a folder', folder: named });
    const listed = await askPlatform(session, 'backups', (backups) => backups.list(where));
    const result = listed.map(({ name: _, ...backup }) => backup);
    if (session.json) writeDocument(session, result);
    else session.out.write(backupListText(result, paintFor(session.out)));
    return 0;
  },
});
