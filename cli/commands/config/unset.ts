import { changeLayer } from '../../../settings/edit/change-layer.js';
import { keyNamed } from '../../../settings/registry/key-named.js';
import { defineCommand } from '../../command.js';
import { pathText } from '../../render/config/texts.js';
import { writeDocument } from '../../render/document.js';
import { INFRA_SETTINGS_OPTION, LAYER } from '../../shared/settings/config-options.js';
import { configPlace } from '../../shared/settings/operation-settings.js';

export const command = defineCommand({
  arguments: [['<key>', 'key, as `config keys` lists it']],
  options: [LAYER, INFRA_SETTINGS_OPTION],
  details: 'Removes the setting from the file of a layer: the value of a lower layer applies again.',
  examples: ['config unset engine.profile', 'config unset operation.priority --layer infra --infra shop'],
  async run(session, { args: [name], flags }) {
    const { name: key } = keyNamed(name);
    const layer = flags.layer ?? 'user';
    const { file, changed } = await changeLayer(configPlace(session, flags.infra), layer, key, undefined);
    if (session.json) writeDocument(session, { key, layer, file, changed });
    else session.out.write(`${changed ? 'unset' : 'was not set'}: ${key} in ${pathText(session, file)}\n`);
    return 0;
  },
});
