import { defineCommand } from '../../command.js';
import { writeDocument } from '../../render/document.js';
import { reportDeclined } from '../../shared/declined.js';
import { needsYes } from '../../shared/needs-yes.js';

export const command = defineCommand({
  arguments: [['<token>', 'id of the token: the second part of its text, prov_ID_…']],
  options: [{ flags: '--yes', about: 'revoke it without a confirmation' }],
  details: 'The token is refused within five seconds. A revoked token cannot be restored.',
  examples: ['token revoke 5Qd0VJq3vYx8aZ1k'],
  async run(session, { args: [token], flags: { yes } }) {
    if (!yes) {
      needsYes(session, `revoke the token ${token}`);
      if (!(await session.confirm(`Revoke the token ${token}?`))) return reportDeclined(session);
    }
    const revoked = await (await session.client()).tokens.revoke({ token });
    if (session.json) writeDocument(session, revoked);
    else session.out.write(`revoked: ${token}, of ${revoked.account}\n`);
    return 0;
  },
});
