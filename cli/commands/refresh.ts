import { keepCredentials } from '../../app/definition/definitions.js';
import { subject } from '../../app/request/which-infra.js';
import { EXIT } from '../../core/exit-codes.js';
import type { DriftReport, Remedy } from '../../core/operation/drift.js';
import { defineCommand } from '../command.js';
import { type Paint, paintFor } from '../program/screen.js';
import { writeDocument } from '../render/document.js';
import { addressOf, tableOf } from '../render/inventory.js';
import { declined } from '../shared/declined.js';
import { needsYes } from '../shared/needs-yes.js';

export const command = defineCommand({
  arguments: [['[infra]', 'which; may be left out when there is only one']],
  options: [
    { flags: '--record', about: 'remove what is gone from the inventory and record new addresses, after asking' },
    { flags: '--yes', about: 'do not ask' },
  ],
  details:
    'Reports what differs, what is gone, and what carries our labels but is in no inventory, each with what `apply` of the last\napplied definition would do about it. Changes nothing in the clouds, and nothing at all without --record. Exit code 0 when\neverything is as recorded, 1 when something is not, 3 when an account could not be asked.',
  examples: ['refresh shop', 'refresh shop --record --yes', 'refresh --json'],
  async run(session, { args: [named], flags: { record = false, yes = false } }) {
    if (record && !yes) needsYes(session, 'record what is gone', named ?? session.workspace);
    await keepCredentials(session);
    const { infra } = await subject(session, named === undefined ? {} : { infra: named });
    const { workspace } = session;
    const client = await session.client();
    const found = await client.infras.refresh({ workspace, infra });
    const drifted = found.differs.length + found.gone.length + found.unknown.length > 0;
    const exitCode = found.unasked.length > 0 ? EXIT.notReached : drifted ? EXIT.failed : EXIT.done;
    const toRecord = found.gone.length + found.differs.filter(({ connection }) => connection).length;
    if (!session.json) session.out.write(textOf(found, paintFor(session.out)));
    if (!record || toRecord === 0) {
      if (session.json) writeDocument(session, found);
      return exitCode;
    }
    if (!yes && !(await session.confirm(`Record this in the inventory of ${infra}?`))) return declined(session);
    const report = await client.infras.refresh({ workspace, infra, record });
    if (session.json) writeDocument(session, report);
    else session.out.write(`recorded: ${report.gone.length} gone, ${toRecord - found.gone.length} with another address\n`);
    return report.unasked.length > 0 ? EXIT.notReached : EXIT.done;
  },
});

/** What the next `apply` does about it, in words. */
const REMEDIES: Record<Remedy, string> = {
  create: 'makes it again',
  update: 'changes it back',
  replace: 'replaces it with what is on it, after asking',
  start: 'starts it',
  record: 'records where it is',
  adopt: 'takes it over: the definition names it',
  delete: 'deletes it: the definition does not name it',
  forget: 'forgets it: the definition does not name it',
  refuse: 'refuses until the definition says so, too: a volume only grows',
  leave: 'leaves it; `provisioning orphans --remove` removes it',
};

function textOf({ infra, asRecorded, differs, gone, unknown, unasked }: DriftReport, paint: Paint): string {
  const rows = [
    ...differs.map(({ kind, name, provider, changes, connection, apply }) => {
      const moved = connection ? [`it is at ${addressOf(connection)}`] : [];
      return [paint('yellow', 'differs'), kind, name, provider, [...changes, ...moved].join(', '), REMEDIES[apply]];
    }),
    ...gone.map(({ kind, name, provider, id, apply }) => {
      const still = id ? `${id} is there, without our labels` : '';
      const back = `makes a second one; \`provisioning import ${id} --infra ${infra} --provider ${provider} --name ${name}\` labels it again`;
      return [paint('red', 'gone'), kind, name, provider, still, id ? back : REMEDIES[apply]];
    }),
    ...unknown.map(({ kind, name, provider, reason, apply }) => [
      ...[paint('cyan', 'unknown'), kind, name, provider, reason],
      REMEDIES[apply],
    ]),
  ];
  const table = rows.length > 0 ? tableOf(['', 'WHAT', 'NAME', 'PROVIDER', '', 'APPLY'], rows, '', paint) : '';
  const silent = unasked.map(({ provider, why }) => `${paint('yellow', 'not asked:')} ${provider}: ${why}\n`).join('');
  return `${table}${silent}${infra}: ${asRecorded} as recorded, ${differs.length} different, ${gone.length} gone, ${unknown.length} unknown\n`;
}
