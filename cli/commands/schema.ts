import { registries } from '../../app/definition/definitions.js';
import { inputError } from '../../core/errors.js';
import { loadModules } from '../../core/registry.js';
import { batchSchema, definitionSchema, taskservSchema } from '../../definition/json-schema.js';
import { didYouMean } from '../../definition/source/did-you-mean.js';
import { defineCommand } from '../command.js';
import { writeDocument } from '../render/document.js';

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
    const taskserv = Object.hasOwn(taskservs, flags.taskserv) ? taskservs[flags.taskserv] : undefined;
    if (!taskserv) {
      const hint = didYouMean(flags.taskserv, Object.keys(taskservs));
      throw inputError({
        code: 'unknown-taskserv',
        what: 'find the taskserv',
        on: flags.taskserv,
        why: 'there is none of this name',
        hint,
      });
    }
    writeDocument(session, taskservSchema(await taskserv.load()));
    return 0;
  },
});
