import { definitionFrom } from '../../app/definition/definitions.js';
import { refuseUnsold } from '../../app/definition/refuse-unsold.js';
import { defineCommand, OPERATION, UPDATE } from '../command.js';
import { operate } from '../shared/operate.js';

/** The everyday command: also removes what the file no longer names. */
export const command = defineCommand({
  arguments: [['<file>', 'a definition (.yaml, .yml, .json)']],
  options: [...OPERATION, ...UPDATE],
  details:
    'Creates and changes what differs from the file, and removes what it no longer names. Asks first, unless --yes is given.',
  examples: ['apply examples/quickstart.yaml', 'apply infra.yaml --check', 'apply infra.yaml --yes --json'],
  async run(session, { args: [file = ''], flags }) {
    const definition = await definitionFrom(session, file);
    await refuseUnsold(session, file, definition);
    return operate(session, flags, {
      kind: 'cluster',
      infra: definition.infra,
      intent: { verb: 'ensure', prune: true },
      definition,
    });
  },
});
