import { registeredWorkspace } from '../../../app/workspaces/registered-workspace.js';
import { renameWorkspace } from '../../../app/workspaces/rename-workspace.js';
import { defineCommand } from '../../command.js';
import { writeDocument } from '../../render/document.js';

export const command = defineCommand({
  arguments: [
    ['<name>', 'name of a registered workspace'],
    ['<new>', 'its new name'],
  ],
  details:
    'Changes its provisioning.yaml, where comments stay, and what is registered. Refused for one that has infras or secrets: they are kept under its name. The folder keeps its own name.',
  examples: ['workspace rename shop store'],
  async run(session, { args: [name, to] }) {
    const { folder } = await renameWorkspace(session, registeredWorkspace(session.home, name), to);
    if (session.json) writeDocument(session, { workspace: to, former: name, folder });
    else session.out.write(`renamed: ${name} to ${to} (${folder})\n`);
    return 0;
  },
});
