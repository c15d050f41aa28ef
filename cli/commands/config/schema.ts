import { configSchema } from '../../../settings/registry/json-schema.js';
import { defineCommand } from '../../command.js';
import { writeDocument } from '../../render/document.js';
import { LAYER } from '../../shared/settings/config-options.js';

export const command = defineCommand({
  options: [LAYER],
  details:
    'Editors use the JSON Schema to complete and check the settings of a layer. The schema of a workspace folder has no keys of the engine.',
  examples: ['config schema > config.schema.json', 'config schema --layer environment'],
  async run(session, { flags }) {
    writeDocument(session, configSchema(flags.layer ?? 'user'));
    return 0;
  },
});
