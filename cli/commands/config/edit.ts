import { layerFiles } from '../../../settings/edit/change-layer.js';
import { editLayer } from '../../../settings/edit/edit-layer.js';
import { defineCommand } from '../../command.js';
import { pathText } from '../../render/config/texts.js';
import { writeDocument } from '../../render/document.js';
import { FOR_INFRA, LAYER } from '../../shared/settings/config-options.js';
import { configPlace } from '../../shared/settings/operation-settings.js';

export const command = defineCommand({
  options: [LAYER, FOR_INFRA],
  details:
    'Opens a copy of the file of a layer in $VISUAL or $EDITOR (else vi). It takes the place of the file when the editor has ended, if all that it says is right; else the file stays as it was, and the copy is named.',
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
