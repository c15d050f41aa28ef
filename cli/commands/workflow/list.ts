import { readContextSetting } from '../../../authoring/settings/config-place.js';
import { defineCommand } from '../../command.js';
import { cut, paintFor } from '../../program/screen.js';
import { writeDocument } from '../../render/document.js';
import { renderTable } from '../../render/inventory.js';

/** Width of a wait in columns. `workflow status` shows all of it. */
const WAITS = 60;

export const command = defineCommand({
  options: [
    { flags: '--infra <name>', about: 'only of this infra' },
    { flags: '--checks', about: 'include previews, made by --check and confirmations' },
    { flags: '--limit <count>', about: 'maximum number of operations (default: 50)', number: true },
  ],
  details: 'Newest first.',
  examples: ['workflow list', 'wf list --infra shop --limit 5'],
  async run(session, { flags: { infra, checks, limit } }) {
    const operations = await (await session.client()).operations.list({
      workspace: session.workspace,
      infra,
      limit: limit ?? (await readContextSetting(session, 'output.rows')),
      ...(checks && { checks }),
    });
    if (session.json) {
      writeDocument(session, { operations });
      return 0;
    }
    const paint = paintFor(session.out);
    const rows = operations.map(({ operation, kind, infra: of, status, started, actor, waiting }) => [
      operation,
      kind,
      of,
      paint(status === 'done' ? 'green' : status === 'failed' || status === 'rolled-back' ? 'red' : 'yellow', status),
      started.replace(/\.\d+Z$/, 'Z'),
      actor,
      waiting === undefined ? '' : cut(waiting, WAITS),
    ]);
    session.out.write(
      renderTable(['OPERATION', 'KIND', 'INFRA', 'STATUS', 'STARTED', 'BY', 'WAITS'], rows, 'no operations', paint),
    );
    return 0;
  },
});
