import { resolveConfig } from '../../../settings/layers/resolve.js';
import { keyNamed } from '../../../settings/registry/key-named.js';
import { defineCommand } from '../../command.js';
import { createSettledDocument, valueText } from '../../render/config/texts.js';
import { writeDocument } from '../../render/document.js';
import { INFRA_SETTINGS_OPTION } from '../../shared/settings/config-options.js';
import { configPlace } from '../../shared/settings/operation-settings.js';

export const command = defineCommand({
  arguments: [['<key>', 'key, as `config keys` lists it']],
  options: [INFRA_SETTINGS_OPTION, { flags: '--reveal', about: 'print the value even if it may contain a password' }],
  details: 'Prints only the value, or nothing if the key has no value.',
  examples: ['config get engine.namespace', 'config get operation.onFailure --infra shop', 'config get store.url --reveal'],
  async run(session, { args: [name], flags }) {
    const key = keyNamed(name);
    const one = (await resolveConfig(configPlace(session, flags.infra))).settled.get(key.name);
    if (session.json && one) {
      const document = createSettledDocument(one);
      writeDocument(session, flags.reveal ? { ...document, value: one.value ?? null } : document);
    } else if (one?.value !== undefined) session.out.data(`${valueText(one.key, one.value, flags.reveal)}\n`);
    else session.note(`not set: ${key.otherwise ?? 'no value'}`);
    return 0;
  },
});
