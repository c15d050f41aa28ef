import { defineCommand } from '../../command.js';
import { paintFor } from '../../program/screen.js';
import { colourOf } from '../../render/batch.js';
import { writeDocument } from '../../render/document.js';
import { renderTable } from '../../render/inventory.js';

export const command = defineCommand({
  options: [{ flags: '--limit <count>', about: 'maximum number of batches (default: 50)', number: true }],
  details: 'Newest first.',
  examples: ['batch list', 'b list --limit 5 --json'],
  async run(session, { flags: { limit = 50 } }) {
    const batches = await (await session.client()).batches.list({ workspace: session.workspace, limit });
    if (session.json) {
      writeDocument(session, { batches });
      return 0;
    }
    const paint = paintFor(session.out);
    const rows = batches.map(({ batch, status, started, actor }) => [
      batch,
      paint(colourOf(status), status),
      started.replace(/\.\d+Z$/, 'Z'),
      actor,
    ]);
    session.out.write(renderTable(['BATCH', 'STATUS', 'STARTED', 'BY'], rows, 'no batches', paint));
    return 0;
  },
});
