import { requireRegisteredWorkspace } from '../../../app/workspaces/registered-workspace.js';
import { inputError } from '../../../core/errors.js';
import { activate } from '../../../home/workspaces/registry.js';
import { findTrouble } from '../../../settings/workspaces/find-trouble.js';
import { defineCommand } from '../../command.js';
import { writeDocument } from '../../render/document.js';

export const command = defineCommand({
  arguments: [['<name>', 'name of a registered workspace']],
  details:
    'Sets the active workspace. Commands use it unless --workspace, PROVISIONING_WORKSPACE or a provisioning.yaml above the current folder sets another.',
  examples: ['workspace switch shop'],
  async run(session, { args: [name] }) {
    const found = requireRegisteredWorkspace(session.home, name);
    const trouble = await findTrouble(found);
    if (trouble)
      throw inputError({
        code: 'workspace-folder-gone',
        what: 'switch to the workspace',
        on: name,
        ...trouble,
      });
    activate(session.home, name);
    if (session.json) writeDocument(session, { workspace: name, folder: found.folder, active: true });
    else session.out.write(`active: ${name} (${found.folder})\n`);
    return 0;
  },
});
