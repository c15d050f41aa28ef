import * as z from 'zod';
import { readBatchRows } from '../../batch/state.js';
import { decodeCursor, encodeCursor } from '../../lists/cursor.js';
import { list, pageFields } from '../../lists/page.js';
import { batchRow, mark } from '../../schemas/batch.js';
import { batchId } from '../../schemas/ids.js';

const FIRST = 100;
const index = z.int().min(0);

export const rowsOfBatch = list({
  name: 'batches.rows',
  summary:
    'List the operations in the record of a batch, in order, at most 100 unless `limit` is set. The list can start at an index, and include only one state',
  input: z.strictObject({ batch: batchId, from: index.optional(), ...pageFields, marks: z.array(mark).optional() }),
  item: batchRow,
  pages: { first: FIRST },
  permission: { action: 'batch:read', resource: ({ batch }) => ({ type: 'Batch', id: batch }) },
  errors: ['unknown-operation'],
  async run({ engine }, { batch, from = 0, after, limit = FIRST, marks }) {
    const scope = ['batches.rows', batch, marks ?? null];
    // The place of an operation in its batch never changes.
    const last = decodeCursor(scope, after, index);
    const begin = last === undefined ? from : Math.max(from, last + 1);
    const { rows, more } = await readBatchRows(engine, batch, { from: begin, limit, ...(marks && { marks }) });
    const end = rows.at(-1);
    return { items: rows, ...(end && more && { next: encodeCursor(scope, end.index) }) };
  },
});
