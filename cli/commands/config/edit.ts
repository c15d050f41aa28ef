import { layerFiles } from '../../../settings/edit/change-layer.js';
import { editLayer } from '../../../settings/edit/edit-layer.js';
import { defineCommand } from '../../command.js';
import { pathText } from '../../render/config/texts.js';
import { writeDocument } from '../../render/document.js';
import { INFRA_SETTINGS_OPTION, LAYER } from '../../shared/settings/config-options.js';
import { configPlace } from '../../shared/settings/operation-settings.js';

export const command = defineCommand({
  options: [LAYER, INFRA_SETTINGS_OPTION],
  details:
    'Opens a copy of the layer file in $VISUAL or $EDITOR (default: vi). If the result is valid, it replaces the file. Otherwise the file stays unchanged, and the command prints the path of the copy.',
  examples: ['config edit', 'config edit --layer environment --env prod'],
  async run(session, { flags }) {
    const layer = flags.layer ?? 'user';
    const place = configPlace(session, flags.infra);
    const { file, changed } = await editLayer(place, layerFiles(place, layer));
    if (session.json) writeDocument(session, { layer, file, changed });
    else session.out.write(`${changed ? 'written' : 'nothing was changed'}: ${pathText(session, file)}\n`);
    return 0;
  },
});
