import { inputError } from '../../../core/errors.js';
import { defineCommand } from '../../command.js';
import { writeDocument } from '../../render/document.js';
import { reportDeclined } from '../../shared/declined.js';
import { needsYes } from '../../shared/needs-yes.js';

export const command = defineCommand({
  arguments: [['<person>', 'caller or address, as `audit list` shows it: ann@desk, 192.0.2.7']],
  options: [{ flags: '--yes', about: 'skip the confirmation' }],
  details:
    'Deletes the name for good. The records stay, with a random id in its place (`erased:ID`), and their chains still verify. The record of this call has the random id only. Calls within the next hour may get the same id, and stay without a name; later ones get a new id. An account or a login is not deleted by this.',
  examples: ['audit erase ann@desk', 'audit erase 192.0.2.7 --yes'],
  async run(session, { args: [person], flags: { yes = false } }) {
    if (!yes) needsYes(session, 'erase the name', person);
    const { audit } = await session.client();
    const found = await audit.identities({ name: person });
    if (found.length === 0) {
      const why = 'the audit has no such name: it was erased, or it is written differently';
      throw inputError({
        code: 'unknown-audit-identity',
        what: 'erase the name',
        on: person,
        why,
        hint: 'provisioning audit list',
      });
    }
    const ids = found.map(({ who }) => who);
    if (!yes && !(await session.confirm(`Erase the name ${person} in all records of ${ids.join(', ')} for good?`)))
      return reportDeclined(session);
    for (const who of ids) await audit.erase({ who });
    if (session.json) writeDocument(session, { erased: ids });
    else session.out.write(`erased: ${ids.map((id) => `its records show erased:${id} from now on`).join('; ')}\n`);
    return 0;
  },
});
