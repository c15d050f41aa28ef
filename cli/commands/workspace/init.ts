import { relative, resolve } from 'node:path';
import { readContextSetting } from '../../../authoring/settings/config-place.js';
import { initWorkspace } from '../../../authoring/workspaces/init-workspace.js';
import { WORKSPACE_TEMPLATES, type WorkspaceTemplate } from '../../../authoring/workspaces/templates.js';
import { defineCommand } from '../../command.js';
import { writeDocument } from '../../render/document.js';

export const command = defineCommand({
  arguments: [['<name>', 'name of the workspace']],
  options: [
    { flags: '--template <name>', about: 'initial content (default: minimal)', choices: WORKSPACE_TEMPLATES },
    { flags: '--path <folder>', about: 'folder to create (default: a folder of the same name, here)' },
  ],
  details:
    'Creates a folder with a definition that is ready for a preview, and registers it. `minimal` is one web server; `web` is two web servers behind a load balancer with a database and metrics. Commands in the folder act in this workspace.',
  examples: ['workspace init shop', 'workspace init shop --template web', 'ws init shop --path ~/work/shop'],
  async run(session, { args: [name], flags: { template, path = name } }) {
    const chosen = template ?? (await readContextSetting<WorkspaceTemplate>(session, 'workspace.template')) ?? 'minimal';
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
