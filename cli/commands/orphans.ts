import { keepCredentials } from '../../authoring/secrets/keep-environment.js';
import { EXIT } from '../../core/exit-codes.js';
import type { Orphan, OrphanReport } from '../../core/operation/orphans.js';
import { defineCommand } from '../command.js';
import { paintFor } from '../program/screen.js';
import type { Session } from '../program/session.js';
import { writeDocument } from '../render/document.js';
import { orphanTable, removalLines, renderUnasked } from '../render/orphans.js';
import { reportDeclined } from '../shared/declined.js';
import { needsYes } from '../shared/needs-yes.js';

export const command = defineCommand({
  options: [
    { flags: '--remove', about: 'remove them, after a confirmation' },
    { flags: '--yes', about: 'skip the confirmation' },
  ],
  details:
    'Lists servers, networks and volumes with our labels that belong to no existing infra. Also lists those missing from every inventory\nwhile no operation works on them. A terminated operation can leave them. After a loss of engine data run `infra recover` first.\nExit code 1 if one could not be removed, 3 if a\nprovider did not answer.',
  examples: ['orphans', 'orphans --remove', 'orphans --json'],
  async run(session, { flags: { remove, yes } }) {
    if (remove && !yes) needsYes(session, 'remove orphans', session.workspace, 'leave out --remove to only look');
    await keepCredentials(session);
    const { workspace } = session;
    const { items: orphans, unasked: missing } = await (await session.client()).orphans.list({ workspace });
    const found: OrphanReport = { orphans, unasked: missing };
    const unasked = found.unasked.length > 0 ? EXIT.notReached : EXIT.done;
    if (!remove || found.orphans.length === 0) {
      if (session.json) writeDocument(session, found);
      else show(session, found);
      return unasked;
    }
    if (!session.json) show(session, found);
    if (!yes && !(await session.confirm(question(found.orphans)))) return reportDeclined(session);
    const report = await (await session.client()).orphans.remove({ workspace, remove: found.orphans });
    const { removed, kept, failed } = report;
    if (session.json) writeDocument(session, { ...found, removed, kept, failed });
    else session.out.write(`${removalLines(report, paintFor(session.out)).join('\n')}\n`);
    return failed.length > 0 ? EXIT.failed : unasked;
  },
});

function show({ out, workspace }: Session, { orphans, unasked }: OrphanReport): void {
  const paint = paintFor(out);
  out.write(orphanTable(orphans, workspace, paint));
  for (const line of renderUnasked(unasked, paint)) out.write(`${line}\n`);
}

function question(orphans: readonly Orphan[]): string {
  const holdsData = orphans.filter(({ kind }) => kind !== 'network').length;
  const what = orphans.length === 1 ? 'it' : `these ${orphans.length}`;
  return `Remove ${what}${holdsData > 0 ? ', with the data there' : ''}?`;
}
