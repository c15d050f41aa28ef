import { defineCommand } from '../../command.js';
import { paintFor } from '../../program/screen.js';
import { EXPORTS } from '../../render/audit/export.js';
import { auditLine } from '../../render/audit/record.js';
import { FILTER, readFilter } from '../../shared/audit/filter.js';
import { runUntilSignal } from '../../ssh/ended-by-signals.js';

export const command = defineCommand({
  options: FILTER,
  details: 'Prints new records until Ctrl-C. With --json, each record is one line of JSON.',
  examples: ['audit follow', 'audit follow --outcome refused', 'audit follow --class secrets --json'],
  async run(session, { flags }) {
    const filter = readFilter(flags);
    const { audit } = await session.client();
    const paint = paintFor(session.out);
    return runUntilSignal(async (signal) => {
      for await (const event of audit.follow({ filter }, { signal })) {
        if (event.type !== 'record') continue;
        session.out.write(session.json ? EXPORTS.jsonl.line(event.record) : auditLine(event.record, paint));
      }
      return 0;
    });
  },
});
