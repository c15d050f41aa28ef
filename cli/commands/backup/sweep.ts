import type { SweepResult } from '../../../core/engine/backup.js';
import type { Stored } from '../../../core/engine/engine.js';
import { sizeText } from '../../../core/limits.js';
import { defineCommand } from '../../command.js';
import { columns, paintFor } from '../../program/screen.js';
import { writeDocument } from '../../render/document.js';
import { reportsFor } from '../../render/reports.js';
import type { Session } from '../../session.js';
import { declined } from '../../shared/declined.js';
import { runEngine } from '../../shared/engine.js';
import { needsYes } from '../../shared/needs-yes.js';

export const command = defineCommand({
  options: [
    { flags: '--check', about: 'show what would be removed, and stop' },
    { flags: '--grace <hours>', about: 'keep what was written within so many hours (default: 24)', number: true },
    { flags: '--yes', about: 'do not ask' },
  ],
  details:
    'Large payloads are kept beside Temporal, and stay when their operation is forgotten. Reads all histories, and removes what none refers to; operations go on meanwhile. Exit code 1 where a history refers to a payload that is gone.',
  examples: ['backup sweep --check', 'backup sweep --yes'],
  async run(session, { flags: { check, grace, yes } }) {
    const sweep = async (...more: string[]) => {
      const reports = reportsFor(session);
      const args = ['backup', 'sweep', ...(grace ? [`--grace=${grace}`] : []), ...more];
      return (await runEngine<SweepResult>(session, args, reports.report).finally(reports.end)).result;
    };
    if (!check && !yes) needsYes(session, 'sweep the payload store', undefined, '--check to only look');
    let result = await sweep(...(yes && !check ? [] : ['--check']));
    if (!check && !yes && result.garbage.count > 0) {
      write(session, result);
      if (!(await session.confirm(`Remove ${result.garbage.count} payloads?`))) return declined(session);
      result = await sweep();
    }
    if (session.json) writeDocument(session, result);
    else write(session, result);
    // A history that lacks a payload cannot go on, or be rolled back.
    return result.missing.length > 0 ? 1 : 0;
  },
});

function write(session: Session, { removed, histories, stored, garbage, young, foreign, missing }: SweepResult): void {
  const paint = paintFor(session.out);
  const amount = ({ count, bytes }: Stored) => `${count} payloads, ${sizeText(bytes)}`;
  const rows: [string, string][] = [
    ['histories', `${histories} read`],
    [removed ? 'removed' : 'to remove', amount(garbage)],
    ['younger', `${amount(young)}: nothing refers to them, and they may be on their way`],
    ...(foreign.count > 0 ? [['not ours', `${amount(foreign)}: of another namespace or key, kept`] as [string, string]] : []),
    [removed ? 'left' : 'stored', amount(stored)],
    ...missing.map((sha256): [string, string] => [paint('red', 'missing'), `${sha256}: a history refers to it`]),
  ];
  session.out.write(`${columns(rows.map(([title, text]) => [paint('dim', title), text])).join('\n')}\n`);
}
