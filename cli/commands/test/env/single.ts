import { environmentName } from '../../../../authoring/test-environments/environment-name.js';
import { singleDefinition } from '../../../../authoring/test-environments/single-definition.js';
import { testContext } from '../../../../authoring/test-environments/test-context.js';
import { chooseHostPlan } from '../../../../authoring/test-environments/test-definition.js';
import { defineCommand } from '../../../command.js';
import { makeEnvironment } from '../../../shared/test-environments/make-environment.js';
import { checkEnvironmentName } from '../../../shared/test-environments/named-environment.js';
import { HOSTS, SINGLE, STAY_OPTIONS, scriptsIn, TEST_OPTIONS } from '../../../shared/test-environments/options.js';
import { chooseStaying } from '../../../shared/test-environments/staying.js';

export const command = defineCommand({
  arguments: [['<taskserv>', 'taskserv to test: provisioning taskserv list --available']],
  options: [...SINGLE, ...STAY_OPTIONS, ...TEST_OPTIONS, ...HOSTS],
  details: 'Creates a host of this machine and installs the taskserv on it. The host stays for 2 hours, unless --ttl is given.',
  examples: ['test env single postgres', 'test env single postgres --auto-start --auto-cleanup', 'test env single redis --ttl 8h'],
  async run(session, { args: [taskserv = ''], flags }) {
    const { version, config, configFile, image, name } = flags;
    const how = await chooseStaying(flags);
    const scripts = await scriptsIn(flags.script);
    const infra = name === undefined ? environmentName(taskserv) : checkEnvironmentName(name);
    const wish = { infra, taskserv, version, config, configFile, plan: chooseHostPlan(flags), image };
    return makeEnvironment(session, { ...(await singleDefinition(testContext(session), wish)), scripts }, how);
  },
});
