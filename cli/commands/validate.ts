import { DefinitionError } from '../../app/definition/definition-error.js';
import { readDefinition } from '../../app/definition/definitions.js';
import { EXIT } from '../../core/exit-codes.js';
import { problemText } from '../../definition/source/problem.js';
import { DEFINITION_INPUT, defineCommand } from '../command.js';
import { failureDocument } from '../program/failure.js';
import { paintFor } from '../program/screen.js';
import { writeDocument } from '../render/document.js';

export const command = defineCommand({
  arguments: [['<file>', 'a definition (.yaml, .yml, .json)']],
  options: DEFINITION_INPUT,
  details:
    'Prints each problem as file:line:column, path, what is wrong, and what may have been meant. Exit code 2 if there is one.',
  examples: ['validate infra.yaml', 'validate infra.yaml --json', 'validate infra.yaml --env prod'],
  async run(session, { args: [file = ''], flags }) {
    const { definition, problems } = await readDefinition(session, file, flags);
    if (session.json) {
      const failure = definition ? {} : failureDocument(new DefinitionError(file, problems));
      writeDocument(session, { file, valid: definition !== undefined, ...failure, problems });
    } else if (definition) {
      const taskservs = definition.servers.reduce((sum, server) => sum + server.taskservs.length, 0);
      const found = `infra "${definition.infra}", servers: ${definition.servers.length}, taskservs on them: ${taskservs}`;
      session.out.write(`${paintFor(session.out)('green', 'valid:')} ${file}: ${found}\n`);
    } else {
      for (const problem of problems) session.out.write(`${problemText(problem)}\n`);
    }
    return definition ? EXIT.done : EXIT.badInput;
  },
});
