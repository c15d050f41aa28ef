import { registerWorkspace } from '../../../authoring/workspaces/register-workspace.js';
import { defineCommand } from '../../command.js';
import { writeDocument } from '../../render/document.js';

export const command = defineCommand({
  arguments: [['[folder]', 'folder with a provisioning.yaml (default: the current one)']],
  details:
    'Registers a folder, such as a clone, as a workspace of this machine, under the name in its file. Its definitions can use the secrets and servers of that name, so register only folders that you trust. A moved folder gets its new path.',
  examples: ['workspace register', 'workspace register ~/work/shop'],
  async run(session, { args: [folder = '.'] }) {
    const { name, movedFrom, ...found } = await registerWorkspace(session.home, folder);
    if (session.json) writeDocument(session, { workspace: name, folder: found.folder, ...(movedFrom && { movedFrom }) });
    else session.out.write(`registered: ${name} (${found.folder})${movedFrom ? `, which was in ${movedFrom}` : ''}\n`);
    return 0;
  },
});
