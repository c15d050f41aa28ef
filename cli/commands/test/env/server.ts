import { splitList } from '../../../../authoring/request/named.js';
import { environmentName } from '../../../../authoring/test-environments/environment-name.js';
import { serverDefinition } from '../../../../authoring/test-environments/server-definition.js';
import { testContext } from '../../../../authoring/test-environments/test-context.js';
import { chooseHostPlan } from '../../../../authoring/test-environments/test-definition.js';
import { inputError } from '../../../../core/errors.js';
import { DEFINITION_INPUT, defineCommand } from '../../../command.js';
import { makeEnvironment } from '../../../shared/test-environments/make-environment.js';
import { checkEnvironmentName } from '../../../shared/test-environments/named-environment.js';
import { HOSTS, STAY_OPTIONS, scriptsIn, TEST_OPTIONS } from '../../../shared/test-environments/options.js';
import { chooseStaying } from '../../../shared/test-environments/staying.js';

export const command = defineCommand({
  arguments: [
    ['<name>', 'a server of the definition'],
    ['[taskservs...]', 'only these taskservs of the server (default: all)'],
  ],
  options: [{ flags: '--file <file>', about: 'definition file' }, ...STAY_OPTIONS, ...TEST_OPTIONS, ...HOSTS, ...DEFINITION_INPUT],
  details:
    'Creates a server of a definition as a host of this machine, with all of its taskservs; its provider is ignored. It uses generated passwords instead of workspace secrets. Other servers of the definition are not created.',
  examples: ['test env server web-1 --file shop.yaml --auto-start', 'test env server db postgres --file shop.yaml --env prod'],
  async run(session, { args: [server = '', ...taskservs], flags }) {
    const { file, name } = flags;
    if (file === undefined) {
      const why = 'the definition of the server is missing';
      throw inputError({ code: 'bad-arguments', what: 'read the command line', why, hint: '--file FILE' });
    }
    const how = await chooseStaying(flags);
    const scripts = await scriptsIn(flags.script);
    const infra = name === undefined ? environmentName(server) : checkEnvironmentName(name);
    const wish = { infra, file, server, taskservs: splitList(taskservs), plan: chooseHostPlan(flags) };
    const test = await serverDefinition(testContext(session), wish, flags);
    return makeEnvironment(session, { ...test, scripts }, how);
  },
});
