import { changeLayer } from '../../../settings/edit/change-layer.js';
import { lookAtConfig } from '../../../settings/layers/resolve.js';
import { keyNamed } from '../../../settings/registry/key-named.js';
import { defineCommand } from '../../command.js';
import { pathText, placeText, valueText } from '../../render/config/texts.js';
import { writeDocument } from '../../render/document.js';
import { INFRA_SETTINGS_OPTION, LAYER, valueFor } from '../../shared/settings/config-options.js';
import { configPlace } from '../../shared/settings/operation-settings.js';

export const command = defineCommand({
  arguments: [
    ['<key>', 'key, as `config keys` lists it'],
    ['<value>', 'true, false, a number, a word or a text, according to the key'],
  ],
  options: [LAYER, INFRA_SETTINGS_OPTION],
  details:
    'Writes the setting into the file of a layer, and creates the file if needed. Comments and order stay. The file is validated first: an invalid file is not written. Keys of the engine can only be set in the layer user.',
  examples: [
    'config set engine.profile team',
    'config set operation.onFailure ask --layer environment --env prod',
    'config set worker.limits "local=2 hosts=50"',
  ],
  async run(session, { args: [name, text], flags }) {
    const key = keyNamed(name);
    const value = valueFor(key, text);
    const layer = flags.layer ?? 'user';
    const place = configPlace(session, flags.infra);
    const { file, changed } = await changeLayer(place, layer, key.name, value);
    const now = (await lookAtConfig(place)).settled.get(key.name)?.winner;
    const above = now && now.layer !== layer ? now : undefined;
    if (session.json) writeDocument(session, { key: key.name, layer, file, changed, ...(above ? { decides: above.layer } : {}) });
    else {
      session.out.write(
        `${changed ? 'set' : 'was set already'}: ${key.name} = ${valueText(key, value)} in ${pathText(session, file)}\n`,
      );
      if (above) session.note(`note: ${placeText(session, above)} takes precedence`);
    }
    return 0;
  },
});
