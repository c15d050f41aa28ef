import { environmentName } from '../../../authoring/test-environments/environment-name.js';
import { singleDefinition } from '../../../authoring/test-environments/single-definition.js';
import { testContext } from '../../../authoring/test-environments/test-context.js';
import { chooseHostPlan } from '../../../authoring/test-environments/test-definition.js';
import { defineCommand } from '../../command.js';
import { makeEnvironment } from '../../shared/test-environments/make-environment.js';
import {
  checkJunit,
  HOSTS,
  parseTtl,
  readTimeout,
  SINGLE,
  scriptsIn,
  TEST_OPTIONS,
} from '../../shared/test-environments/options.js';

export const command = defineCommand({
  arguments: [['<taskserv>', 'taskserv to test: provisioning taskserv list --available']],
  options: [
    ...SINGLE,
    ...TEST_OPTIONS,
    ...HOSTS,
    { flags: '--keep', about: 'keep the environment after a failure, until its time is over' },
    { flags: '--check', about: 'show the steps that would run, and stop' },
  ],
  details:
    'Creates a host of this machine, installs the taskserv on it, and tests it: its health, a second run without changes, and your scripts. Then it removes everything, also after a failure. If the command is killed, the next test command removes the host, or its timer does.',
  examples: [
    'test quick postgres',
    'test quick nginx --script checks/pages.sh --junit report.xml',
    'test quick redis --config maxMemory=64MiB --memory 512MiB --keep',
  ],
  async run(session, { args: [taskserv = ''], flags }) {
    const { version, config, configFile, image, keep, check, junit } = flags;
    const ttlMs = parseTtl(flags.ttl ?? '30m');
    const scripts = await scriptsIn(flags.script);
    await checkJunit(junit);
    const wish = { infra: environmentName(taskserv), taskserv, version, config, configFile, plan: chooseHostPlan(flags), image };
    const test = await singleDefinition(testContext(session), wish);
    const how = { ttlMs, tests: true, removes: true, keep, check, junit, timeoutS: readTimeout(flags) };
    return makeEnvironment(session, { ...test, scripts }, how);
  },
});
