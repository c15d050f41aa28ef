import { existsSync } from 'node:fs';
import { filesOf } from '../../../settings/layers/layers.js';
import { defineCommand } from '../../command.js';
import { columns } from '../../program/screen.js';
import { pathText } from '../../render/config/texts.js';
import { writeDocument } from '../../render/document.js';
import { INFRA_SETTINGS_OPTION } from '../../shared/settings/config-options.js';
import { configPlace } from '../../shared/settings/operation-settings.js';

export const command = defineCommand({
  options: [INFRA_SETTINGS_OPTION],
  details:
    'Prints the file of each layer, or the path that `config set` would create. Layers without a name or folder are omitted.',
  examples: ['config path', 'config path --env prod --infra shop'],
  async run(session, { flags }) {
    const files = filesOf(configPlace(session, flags.infra)).map(({ layer, candidates, former, within }) => {
      const file = [...candidates, ...(former ? [former] : [])].find((path) => existsSync(path));
      return { layer, file: file ?? candidates[0] ?? '', exists: file !== undefined, ...(within ? { within } : {}) };
    });
    if (session.json) writeDocument(session, { files });
    else {
      const rows = files.map(({ layer, file, exists, within }) => [
        layer,
        exists ? 'is there' : 'is not there',
        `${pathText(session, file)}${within ? ` (${within}:)` : ''}`,
      ]);
      session.out.write(`${columns(rows).join('\n')}\n`);
    }
    return 0;
  },
});
