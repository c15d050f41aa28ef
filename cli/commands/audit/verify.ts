import { EXIT } from '../../../core/exit-codes.js';
import { defineCommand } from '../../command.js';
import { paintFor } from '../../program/screen.js';
import { verificationText } from '../../render/audit/verification.js';
import { writeDocument } from '../../render/document.js';

export const command = defineCommand({
  details:
    'Follows the chains of all writers, and compares their ends with those that were written outside of the database. Reports each record that was changed, removed, reordered or swapped, each end that was cut, and each writer that is missing. Exit code 1 if there is one.',
  examples: ['audit verify', 'audit verify --json'],
  async run(session) {
    const found = await (await session.client()).audit.verify({});
    if (session.json) writeDocument(session, found);
    else session.out.write(verificationText(found, paintFor(session.out)));
    return found.problems.length > 0 || found.heads.unreadable.length > 0 ? EXIT.failed : EXIT.done;
  },
});
