import { changeLayer } from '../../../settings/edit/change-layer.js';
import { lookAtConfig } from '../../../settings/layers/resolve.js';
import { defineCommand } from '../../command.js';
import { pathText, placeText, valueText } from '../../render/config/texts.js';
import { writeDocument } from '../../render/document.js';
import { FOR_INFRA, keyNamed, LAYER, valueFor } from '../../shared/settings/config-options.js';
import { configPlace } from '../../shared/settings/operation-settings.js';

export const command = defineCommand({
  arguments: [
    ['<key>', 'as `config keys` lists it'],
    ['<value>', 'true or false, a number, a word or a text, as the key asks for'],
  ],
  options: [LAYER, FOR_INFRA],
  details:
    'Writes it into the file of a layer, which is made where there is none. Comments and the order of the file stay. The file is judged first: one that would be wrong is not written. Keys of the engine can be set in the layer user alone.',
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
      if (above) session.note(`note: ${placeText(session, above)} goes before it`);
    }
    return 0;
  },
});
