import { relative, resolve } from 'node:path';
import { settingOf } from '../../../app/settings/config-place.js';
import { initWorkspace } from '../../../app/workspaces/init-workspace.js';
import { WORKSPACE_TEMPLATES, type WorkspaceTemplate } from '../../../app/workspaces/templates.js';
import { defineCommand } from '../../command.js';
import { writeDocument } from '../../render/document.js';

export const command = defineCommand({
  arguments: [['<name>', 'name of the workspace']],
  options: [
    { flags: '--template <name>', about: 'what it begins with (default: minimal)', choices: WORKSPACE_TEMPLATES },
    { flags: '--path <folder>', about: 'the folder to make (default: one of its name, here)' },
  ],
  details:
    'Makes a folder with a definition that can be previewed at once, and registers it. `minimal` is one web server, `web` is two behind a load balancer with a database and metrics. Commands in the folder act in this workspace.',
  examples: ['workspace init shop', 'workspace init shop --template web', 'ws init shop --path ~/work/shop'],
  async run(session, { args: [name], flags: { template, path = name } }) {
    const chosen = template ?? (await settingOf<WorkspaceTemplate>(session, 'workspace.template')) ?? 'minimal';
    const made = await initWorkspace(session.home, name, chosen, resolve(path));
    if (session.json) {
      writeDocument(session, made);
      return 0;
    }
    const there = relative('', made.folder) || '.';
    const files = made.files.map((file) => `  ${file}\n`).join('');
    const next = `  cd ${there}\n  provisioning apply infra/${name}.yaml --check\n`;
    session.out.write(`made: the workspace ${name} in ${made.folder}\n${files}next:\n${next}`);
    return 0;
  },
});
