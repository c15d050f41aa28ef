import { defineCommand } from '../../command.js';
import { paintFor } from '../../program/screen.js';
import { auditDetails } from '../../render/audit/record.js';
import { writeDocument } from '../../render/document.js';

export const command = defineCommand({
  arguments: [['<record>', 'id of a record, or of a call']],
  details: 'Shows both records of a call: what was asked, and how it ended. `audit list --json` has the ids.',
  examples: ['audit show 5d1f0c9a3be87b2f41.changes/17', 'audit show 5d1f0c9a3be87b2f41.changes/17 --json'],
  async run(session, { args: [record] }) {
    const { records } = await (await session.client()).audit.get({ record });
    if (session.json) {
      writeDocument(session, { records });
      return 0;
    }
    const paint = paintFor(session.out);
    session.out.write(records.map((one) => auditDetails(one, paint)).join('\n'));
    return 0;
  },
});
