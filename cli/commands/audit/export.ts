import { defineCommand } from '../../command.js';
import { EXPORT_FORMATS, EXPORTS } from '../../render/audit/export.js';
import { FILTER, readFilter, TIMES } from '../../shared/audit/filter.js';
import { runUntilSignal } from '../../ssh/ended-by-signals.js';

/** Characters per write. */
const PIECE = 64 * 1024;

export const command = defineCommand({
  options: [
    ...FILTER,
    ...TIMES,
    { flags: '--format <format>', about: 'jsonl, csv, or syslog (RFC 5424) (default: jsonl)', choices: EXPORT_FORMATS },
  ],
  details:
    'Writes all records to standard output, the oldest first. In CSV, a text that a spreadsheet would take for a formula begins with an apostrophe. JSON Lines and CSV have the bytes that were hashed.',
  examples: [
    'audit export > audit.jsonl',
    'audit export --format csv --since 30d > audit.csv',
    'audit export --format syslog --class sign-ins',
  ],
  async run(session, { flags: { format = 'jsonl', ...flags } }) {
    const filter = readFilter(flags);
    const { head, line } = EXPORTS[session.json ? 'jsonl' : format];
    const { audit } = await session.client();
    return runUntilSignal(async (signal) => {
      let text = head;
      for await (const record of audit.export({ filter }, { signal })) {
        text += line(record);
        if (text.length < PIECE) continue;
        session.out.data(text);
        text = '';
      }
      session.out.data(text);
      return signal.aborted ? 1 : 0;
    });
  },
});
