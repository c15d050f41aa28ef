import { listMembers } from '../../../members/list-members.js';
import { defineCommand } from '../../command.js';
import { paintFor } from '../../program/screen.js';
import { writeDocument } from '../../render/document.js';
import { memberTable } from '../../render/members/members.js';
import { CERTIFICATES, certificatesFolder } from '../../shared/members/certificates-folder.js';

export const command = defineCommand({
  options: [CERTIFICATES],
  details:
    'Lists the logins of the store with their open connections, and the expiry of each certificate in the folder of certificates on this machine.',
  examples: ['member list', 'member list --certificates /srv/team/certificates --json'],
  async run(session, { flags: { certificates } }) {
    const listed = await listMembers(session, certificatesFolder(session, certificates), certificates !== undefined);
    if (session.json) writeDocument(session, listed);
    else session.out.write(memberTable(listed, paintFor(session.out)));
    return 0;
  },
});
