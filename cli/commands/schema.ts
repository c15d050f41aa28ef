import { registries } from '../../app/definition/definitions.js';
import { loadModules } from '../../core/registry.js';
import { batchSchema, definitionSchema, taskservSchema } from '../../definition/json-schema.js';
import { defineCommand } from '../command.js';
import { writeDocument } from '../render/document.js';
import { taskservNamed } from '../shared/taskserv-named.js';

export const command = defineCommand({
  options: [
    { flags: '--taskserv <name>', about: 'only the configuration of this taskserv' },
    { flags: '--batch', about: 'the schema of batch files' },
  ],
  details: 'Editors use it to complete and check definitions as you type.',
  examples: ['schema > provisioning.schema.json', 'schema --taskserv redis'],
  async run(session, { flags }) {
    if (flags.batch) {
      writeDocument(session, batchSchema());
      return 0;
    }
    const { taskservs } = await registries();
    if (flags.taskserv === undefined) {
      writeDocument(session, definitionSchema(await loadModules(taskservs)));
      return 0;
    }
    writeDocument(session, taskservSchema(await taskservNamed(taskservs, flags.taskserv).load()));
    return 0;
  },
});
