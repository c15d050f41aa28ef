import { exitCodeOfBatch } from '../../../core/exit-codes.js';
import { MARK_OF } from '../../../core/operation/batch.js';
import { defineCommand } from '../../command.js';
import { paintFor } from '../../program/screen.js';
import { rowLine } from '../../render/batch.js';
import { writeDocument } from '../../render/document.js';
import { renderTable } from '../../render/inventory.js';
import { HEAD, showBatch } from '../../shared/follow-batch.js';

export const command = defineCommand({
  arguments: [['<batch>', 'id of the batch']],
  options: [
    { flags: '--operations', about: 'list its operations with state and reason' },
    { flags: '--state <state>', about: 'only operations in this state', choices: Object.values(MARK_OF) },
    { flags: '--from <number>', about: 'number of the first operation (default: 1)', number: true },
    { flags: '--limit <count>', about: 'maximum number of operations (default: 100)', number: true },
  ],
  details: 'Shows the counts, the actions of people and the failures; with --operations or --state the whole record, in pages.',
  examples: ['batch status batch-fleet-mf3k2p9x4af1', 'b status batch-fleet-mf3k2p9x4af1 --state waiting'],
  async run(session, { args: [id = ''], flags }) {
    const client = await session.client();
    const state = await client.batches.state({ batch: id });
    const wanted = flags.operations || flags.state !== undefined || flags.from !== undefined;
    if (!wanted) return showBatch(session, state);
    const marks = flags.state === undefined ? undefined : [flags.state];
    const rows = await client.batches.rows({ batch: id, from: (flags.from ?? 1) - 1, limit: flags.limit ?? 100, marks });
    if (session.json) writeDocument(session, { ...state, rows });
    else {
      const paint = paintFor(session.out);
      session.out.write(
        renderTable(
          HEAD,
          rows.map((row) => rowLine(row, paint)),
          'no such operations',
          paint,
        ),
      );
      const last = rows.at(-1);
      if (rows.length === (flags.limit ?? 100) && last) session.out.write(paint('dim', `more: --from ${last.index + 2}\n`));
    }
    return exitCodeOfBatch(state);
  },
});
