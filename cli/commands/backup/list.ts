import type { BackupListed } from '../../../core/engine/backup.js';
import { sizeText } from '../../../core/limits.js';
import { defineCommand } from '../../command.js';
import { columns, paintFor } from '../../program/screen.js';
import { writeDocument } from '../../render/document.js';
import { runEngine } from '../../shared/engine.js';

export const command = defineCommand({
  arguments: [['[folder]', 'the folder to look into (default: backups/ of the home)']],
  details: 'Shows what each archive says of itself; `backup verify` reads it.',
  async run(session, { args: [folder] }) {
    const { result, exitCode } = await runEngine<BackupListed[]>(
      session,
      ['backup', 'list', ...(folder ? ['--', folder] : [])],
      () => {},
    );
    if (session.json) {
      writeDocument(session, result);
      return exitCode;
    }
    const paint = paintFor(session.out);
    const rows = result.map((one) =>
      'problem' in one
        ? [paint('red', 'none'), '', '', '', one.file, one.problem]
        : [one.created, one.setup, one.key, sizeText(one.bytes), one.file],
    );
    const titles = ['MADE', 'SET-UP', 'KEY', 'SIZE', 'FILE'].map((title) => paint('dim', title));
    session.out.write(rows.length === 0 ? 'no backups\n' : `${columns([titles, ...rows]).join('\n')}\n`);
    return exitCode;
  },
});
