import { defineCommand } from '../../command.js';
import { columns, paintFor } from '../../program/screen.js';
import { operationDocument, writeDocument } from '../../render/document.js';
import { matrix, renderRunning } from '../../render/matrix.js';
import { renderControl, renderResult, renderWaiting } from '../../render/result.js';
import { describeWebUi } from '../../shared/web-ui.js';

export const command = defineCommand({
  arguments: [['<operation>', 'id of the operation']],
  async run(session, { args: [operation = ''] }) {
    const progress = await (await session.client()).operations.progress({ operation });
    if (session.json) {
      writeDocument(session, operationDocument(progress));
      return 0;
    }
    const paint = paintFor(session.out);
    const ui = describeWebUi(session.home, operation);
    const { status, cells, steps, waiting } = progress;
    const table = [...matrix(cells, { paint, width: session.out.columns(), tick: 0 }), ...renderRunning(cells, paint)];
    if (table.length > 0) session.out.write(`${table.join('\n')}\n\n`);
    if (status === 'waiting') renderWaiting(progress, session.out, { ui });
    else if (status === 'running' || status === 'queued' || status === 'paused') {
      const rows = [
        ['status', status],
        ['steps', `${steps.executed} of ${steps.planned}`],
        ...(waiting ? [['waits', waiting]] : []),
        ...(ui ? [['Web UI', ui]] : []),
      ];
      session.out.write(`${columns(rows).join('\n')}\n`);
      renderControl(progress, session.out);
      if (status === 'paused') session.out.write(`go on: provisioning workflow resume ${operation}\n`);
    } else renderResult(progress, session.out, { ui });
    return 0;
  },
});
