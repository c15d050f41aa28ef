import { removeToken } from '../../../home/contexts/contexts.js';
import { defineCommand } from '../../command.js';
import { writeDocument } from '../../render/document.js';
import { requireContext } from './login.js';

export const command = defineCommand({
  details: 'Removes the token of the active context from this machine. It stays valid: revoke it with `provisioning token revoke`.',
  examples: ['logout', 'logout --context prod'],
  async run(session) {
    const { name } = requireContext(session);
    const removed = removeToken(session.home, name);
    if (session.json) writeDocument(session, { context: name, removed });
    else session.out.write(removed ? `logged out of ${name}\n` : `${name} had no token\n`);
    return 0;
  },
});
