import { readContextSetting } from '../../../authoring/settings/config-place.js';
import { defineCommand } from '../../command.js';
import { paintFor } from '../../program/screen.js';
import { auditTable } from '../../render/audit/record.js';
import { writeDocument } from '../../render/document.js';
import { FILTER, readFilter, TIMES } from '../../shared/audit/filter.js';

export const command = defineCommand({
  options: [...FILTER, ...TIMES, { flags: '--limit <count>', about: 'maximum number of records (default: 50)', number: true }],
  details:
    'Newest first. A change has two records: `asked` before it runs, and `done` or `failed` after it; without the second one, its outcome is unknown. A refused call has one record. Reads of one caller within a minute are one record. Times are in UTC.',
  examples: ['audit list', 'audit list --since 7d --outcome refused', 'audit list --actor ann@desk --resource default/shop --json'],
  async run(session, { flags: { limit, ...filter } }) {
    const records = await (await session.client()).audit.list({
      limit: limit ?? (await readContextSetting(session, 'output.rows')),
      filter: readFilter(filter),
    });
    if (session.json) writeDocument(session, { records });
    else session.out.write(auditTable(records, paintFor(session.out)));
    return 0;
  },
});
