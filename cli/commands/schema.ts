import { registriesFor } from '../../authoring/modules/registries.js';
import { loadModules } from '../../core/registry.js';
import { batchSchema, definitionSchema, taskservSchema } from '../../definition/json-schema.js';
import { defineCommand } from '../command.js';
import { writeDocument } from '../render/document.js';
import { taskservNamed } from '../shared/taskserv-named.js';

export const command = defineCommand({
  options: [
    { flags: '--taskserv <name>', about: 'only the configuration of this taskserv' },
    {
      flags: '--format <format>',
      about: 'json, or a module for definitions in KCL or Nickel (default: json)',
      choices: ['json', 'kcl', 'nickel'],
    },
    { flags: '--batch', about: 'the schema of batch files' },
  ],
  details: 'Editors use the schema to complete and check definitions.',
  examples: ['schema > provisioning.schema.json', 'schema --taskserv redis', 'schema --format kcl > provisioning.k'],
  async run(session, { flags }) {
    if (flags.format === 'kcl' || flags.format === 'nickel') {
      const text = await moduleOf(flags.format);
      if (session.json) writeDocument(session, { format: flags.format, text });
      else session.out.data(text);
      return 0;
    }
    if (flags.batch) {
      writeDocument(session, batchSchema());
      return 0;
    }
    const { taskservs } = await registriesFor(session);
    if (flags.taskserv === undefined) {
      writeDocument(session, definitionSchema(await loadModules(taskservs)));
      return 0;
    }
    writeDocument(session, taskservSchema(await taskservNamed(taskservs, flags.taskserv).load()));
    return 0;
  },
});

async function moduleOf(language: 'kcl' | 'nickel'): Promise<string> {
  if (language === 'kcl') return (await import('../../definition/languages/kcl/kcl-module.js')).kclModule();
  return (await import('../../definition/languages/nickel/nickel-module.js')).nickelModule();
}
