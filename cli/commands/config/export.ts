import { treeText } from '../../../settings/edit/edit-text.js';
import { setAt } from '../../../settings/layers/read-file.js';
import { resolveConfig } from '../../../settings/layers/resolve.js';
import type { Tree } from '../../../settings/layers/values.js';
import { isListed } from '../../../settings/registry/registry.js';
import { defineCommand } from '../../command.js';
import { writeDocument } from '../../render/document.js';
import { INFRA_SETTINGS_OPTION } from '../../shared/settings/config-options.js';
import { configPlace } from '../../shared/settings/operation-settings.js';

export const command = defineCommand({
  options: [
    INFRA_SETTINGS_OPTION,
    { flags: '--format <format>', about: 'format of the file (default: yaml)', choices: ['yaml', 'toml', 'json'] },
  ],
  details:
    'Writes the effective settings, including defaults, as one file for the layer user. Values that may contain a password are left out, and their keys are printed on standard error.',
  examples: ['config export > config.yaml', 'config export --format toml --env prod'],
  async run(session, { flags }) {
    const { settled } = await resolveConfig(configPlace(session, flags.infra));
    const tree: Tree = {};
    const left: string[] = [];
    for (const { key, value, winner } of settled.values()) {
      if (value === undefined || !isListed(key, winner?.layer)) continue;
      if (key.sensitive) left.push(key.name);
      else setAt(tree, key.name.split('.'), value);
    }
    if (session.json) writeDocument(session, tree);
    else session.out.data(await treeText(`.${flags.format ?? 'yaml'}`, tree));
    if (left.length > 0) session.note(`left out, because it may contain a password: ${left.join(', ')}`);
    return 0;
  },
});
