import { registerWorkspace } from '../../../app/workspaces/register-workspace.js';
import { defineCommand } from '../../command.js';
import { writeDocument } from '../../render/document.js';

export const command = defineCommand({
  arguments: [['[folder]', 'folder with a provisioning.yaml (default: the current one)']],
  details:
    'Makes a folder that came from elsewhere, such as a clone, a workspace of this machine, under the name that its file says. Its definitions may use the secrets and servers of that name, so register what you trust. One that was moved is registered where it is now.',
  examples: ['workspace register', 'workspace register ~/work/shop'],
  async run(session, { args: [folder = '.'] }) {
    const { name, movedFrom, ...found } = await registerWorkspace(session.home, folder);
    if (session.json) writeDocument(session, { workspace: name, folder: found.folder, ...(movedFrom && { movedFrom }) });
    else session.out.write(`registered: ${name} (${found.folder})${movedFrom ? `, which was in ${movedFrom}` : ''}\n`);
    return 0;
  },
});
