import { requireRegisteredWorkspace } from '../../../app/workspaces/registered-workspace.js';
import { renameWorkspace } from '../../../authoring/workspaces/rename-workspace.js';
import { defineCommand } from '../../command.js';
import { writeDocument } from '../../render/document.js';

export const command = defineCommand({
  arguments: [
    ['<name>', 'name of a registered workspace'],
    ['<new>', 'new name'],
  ],
  details:
    'Changes the name in its provisioning.yaml, where comments stay, and in the registry. Fails if the workspace has infras or secrets, because they are stored under its name. The folder keeps its name.',
  examples: ['workspace rename shop store'],
  async run(session, { args: [name, to] }) {
    const { folder } = await renameWorkspace(session, requireRegisteredWorkspace(session.home, name), to);
    if (session.json) writeDocument(session, { workspace: to, former: name, folder });
    else session.out.write(`renamed: ${name} to ${to} (${folder})\n`);
    return 0;
  },
});
