import { DefinitionError } from '../../authoring/definition/definition-error.js';
import { readDefinition } from '../../authoring/definition/definitions.js';
import { EXIT } from '../../core/exit-codes.js';
import { problemText } from '../../definition/source/problem.js';
import { DEFINITION_INPUT, defineCommand, FROZEN_LOCK } from '../command.js';
import { failureDocument } from '../program/failure.js';
import { paintFor } from '../program/screen.js';
import { writeDocument } from '../render/document.js';
import { forbidGitServers, NO_GIT_SERVERS } from '../shared/without-git-servers.js';

export const command = defineCommand({
  arguments: [['<file>', 'definition file (.yaml, .yml, .json, .toml, .ts, .k, .ncl)']],
  options: [...DEFINITION_INPUT, FROZEN_LOCK],
  details: [
    'Prints each error as file:line:column, path, reason, and a suggestion. Exit code 2 if there are errors. In a workspace it also checks the rules in its folder `rules/`. Exceptions and violations of rules with severity `warning` are printed, but are not errors. The command asks the worker which secrets are set. If the worker of a team does not answer, a warning lists the secrets that were not checked.',
    NO_GIT_SERVERS,
  ].join(' '),
  examples: ['validate infra.yaml', 'validate infra.yaml --json', 'validate infra.yaml --env prod'],
  async run(session, { args: [file = ''], flags }) {
    const loaded = await readDefinition(forbidGitServers(session), file, flags);
    const { definition, problems } = loaded;
    const { warnings = [], excepted = [] } = loaded.definition ? loaded : {};
    if (session.json) {
      const failure = definition ? {} : failureDocument(new DefinitionError(file, problems));
      writeDocument(session, { file, valid: definition !== undefined, ...failure, problems, warnings, excepted });
    } else if (definition) {
      const taskservs = definition.servers.reduce((sum, server) => sum + server.taskservs.length, 0);
      const found = `infra "${definition.infra}", servers: ${definition.servers.length}, taskservs on them: ${taskservs}`;
      for (const warning of warnings) session.out.write(`${paintFor(session.out)('yellow', 'warning:')} ${problemText(warning)}\n`);
      for (const one of excepted) session.out.write(`excepted: ${problemText(one)}\n`);
      session.out.write(`${paintFor(session.out)('green', 'valid:')} ${file}: ${found}\n`);
    } else {
      for (const problem of problems) session.out.write(`${problemText(problem)}\n`);
    }
    return definition ? EXIT.done : EXIT.badInput;
  },
});
