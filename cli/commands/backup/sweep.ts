import type { SweepResult } from '../../../core/engine/backup.js';
import { defineCommand } from '../../command.js';
import { paintFor } from '../../program/screen.js';
import { sweepText } from '../../render/backup/backup.js';
import { writeDocument } from '../../render/document.js';
import { watchBackup } from '../../shared/backup.js';
import { reportDeclined } from '../../shared/declined.js';
import { needsYes } from '../../shared/needs-yes.js';

export const command = defineCommand({
  options: [
    { flags: '--check', about: 'show what would be removed, and stop' },
    { flags: '--grace <hours>', about: 'keep payloads that are newer than this number of hours (default: 24)', number: true },
    { flags: '--yes', about: 'skip the confirmation' },
  ],
  details:
    'Large payloads are stored outside Temporal, and remain when their operation is deleted. The command reads all histories and removes payloads without a reference. Operations continue. Exit code 1 if a referenced payload is missing.',
  examples: ['backup sweep --check', 'backup sweep --yes'],
  async run(session, { flags: { check, grace, yes } }) {
    const kept = grace === undefined ? {} : { graceHours: grace };
    const sweep = (only: boolean) => watchBackup<SweepResult>(session, (backups) => backups.sweep({ check: only, ...kept }));
    const write = (found: SweepResult) => session.out.write(sweepText(found, paintFor(session.out)));
    if (!check && !yes) needsYes(session, 'sweep the payload store', undefined, '--check to only look');
    let result = await sweep(check || !yes);
    if (!check && !yes && result.garbage.count > 0) {
      write(result);
      if (!(await session.confirm(`Remove ${result.garbage.count} payloads?`))) return reportDeclined(session);
      result = await sweep(false);
    }
    if (session.json) writeDocument(session, result);
    else write(result);
    // A history without a payload cannot continue or be rolled back.
    return result.missing.length > 0 ? 1 : 0;
  },
});
