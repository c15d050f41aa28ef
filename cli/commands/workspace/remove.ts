import { requireRegisteredWorkspace } from '../../../app/workspaces/registered-workspace.js';
import { unregister } from '../../../home/workspaces/registry.js';
import { defineCommand } from '../../command.js';
import { writeDocument } from '../../render/document.js';

export const command = defineCommand({
  arguments: [['<name>', 'name of a registered workspace']],
  details: 'Unregisters the workspace. Its folder, servers and secrets stay, and `provisioning workspace register` restores it.',
  examples: ['workspace remove shop'],
  async run(session, { args: [name] }) {
    const { folder } = requireRegisteredWorkspace(session.home, name);
    unregister(session.home, name);
    if (session.json) writeDocument(session, { workspace: name, folder, removed: true });
    else
      session.out.write(`not registered any more: ${name}. All in ${folder} is still there, and so are its servers and secrets.\n`);
    return 0;
  },
});
