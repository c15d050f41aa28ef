import { planMigration } from '../../../settings/edit/migrate.js';
import { defineCommand } from '../../command.js';
import { columns } from '../../program/screen.js';
import { pathText, valueText } from '../../render/config/texts.js';
import { writeDocument } from '../../render/document.js';
import { reportDeclined } from '../../shared/declined.js';
import { needsYes } from '../../shared/needs-yes.js';
import { configPlace } from '../../shared/settings/operation-settings.js';

export const command = defineCommand({
  options: [
    { flags: '--check', about: 'show the result, and stop' },
    { flags: '--yes', about: 'skip the confirmation' },
  ],
  details:
    'Writes the settings from environment variables and a former settings.yaml into config.yaml of the home, or into the existing file. Then it removes settings.yaml and keeps its comments. Remove the variables from your shell yourself: until then they take precedence over the file.',
  examples: ['config migrate --check', 'config migrate --yes'],
  async run(session, { flags }) {
    const { file, removes, moves, write } = await planMigration({ ...configPlace(session), environment: undefined });
    const document = {
      file,
      ...(removes ? { removes } : {}),
      moves: moves.map(({ key, value, from }) => ({ key: key.name, value: valueText(key, value), from })),
    };
    const nothing = moves.length === 0 && !removes;
    if (!session.json) {
      const rows = document.moves.map(({ key, value, from }) => [key, value, `from ${pathText(session, from)}`]);
      session.out.write(nothing ? 'nothing to move\n' : `${columns(rows).join('\n')}\ninto ${pathText(session, file)}\n`);
    }
    if (!nothing && !flags.check) {
      if (!flags.yes) {
        needsYes(session, 'move the settings', file, '--check to only look');
        const goes = removes ? `, and remove ${pathText(session, removes)}` : '';
        if (!(await session.confirm(`Write ${pathText(session, file)}${goes}?`))) return reportDeclined(session);
      }
      await write();
    }
    const written = !nothing && flags.check !== true;
    if (session.json) writeDocument(session, { ...document, written });
    else if (written) session.out.write('written\n');
    return 0;
  },
});
