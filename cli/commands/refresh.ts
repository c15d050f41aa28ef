import type { DriftReport } from '../../core/drift.js';
import type { Command } from '../command.js';
import { declined } from '../declined.js';
import { keepCredentials } from '../definition-file.js';
import { needsYes } from '../needs-yes.js';
import { writeDocument } from '../render/document.js';
import { addressOf, tableOf } from '../render/inventory.js';
import { type Paint, paintFor } from '../screen.js';
import { subject } from '../which-infra.js';

export const command: Command = {
  arguments: [['[infra]', 'which; may be left out when there is only one']],
  options: [
    { flags: '--record', about: 'let the inventory forget what is gone and learn new addresses, after a question' },
    { flags: '--yes', about: 'do not ask' },
  ],
  details:
    'Says what differs, what is gone, and what bears our labels but is unknown. Changes nothing in the clouds, and without\n--record nothing at all. `apply` makes what differs or is gone; `orphans` removes what is unknown. Exit code 1 when\nsomething is not as recorded, 3 when an account could not be asked.',
  examples: ['refresh shop', 'refresh shop --record --yes', 'refresh --json'],
  async run(session, { args: [named], flags: { record = false, yes = false } }) {
    if (record && !yes) needsYes(session, 'record what is gone', named ?? session.workspace);
    await keepCredentials(session);
    const { infra } = await subject(session, named === undefined ? {} : { infra: named });
    const { workspace, actor } = session;
    const client = await session.client();
    const found = await client.refresh({ workspace, infra, actor });
    const drifted = found.differs.length + found.gone.length + found.unknown.length > 0;
    const exitCode = found.unasked.length > 0 ? 3 : drifted ? 1 : 0;
    const toRecord = found.gone.length + found.differs.filter(({ connection }) => connection).length;
    if (!session.json) session.out.write(textOf(found, paintFor(session.out)));
    if (!record || toRecord === 0) {
      if (session.json) writeDocument(session, found);
      return exitCode;
    }
    if (!yes && !(await session.confirm(`Record this in the inventory of ${infra}?`))) return declined(session);
    const report = await client.refresh({ workspace, infra, actor, record });
    if (session.json) writeDocument(session, report);
    else session.out.write(`recorded: ${report.gone.length} gone, ${toRecord - found.gone.length} with another address\n`);
    return report.unasked.length > 0 ? 3 : 0;
  },
};

function textOf({ infra, asRecorded, differs, gone, unknown, unasked }: DriftReport, paint: Paint): string {
  const rows = [
    ...differs.map(({ kind, name, provider, changes, connection }) => {
      const moved = connection ? [`it is at ${addressOf(connection)}`] : [];
      return [paint('yellow', 'differs'), kind, name, provider, [...changes, ...moved].join(', ')];
    }),
    ...gone.map(({ kind, name, provider }) => [paint('red', 'gone'), kind, name, provider, '']),
    ...unknown.map(({ kind, name, provider, reason }) => [paint('cyan', 'unknown'), kind, name, provider, reason]),
  ];
  const table = rows.length > 0 ? tableOf(['', 'WHAT', 'NAME', 'PROVIDER', ''], rows, '', paint) : '';
  const silent = unasked.map(({ provider, why }) => `${paint('yellow', 'not asked:')} ${provider}: ${why}\n`).join('');
  return `${table}${silent}${infra}: ${asRecorded} as recorded, ${differs.length} different, ${gone.length} gone, ${unknown.length} unknown\n`;
}
