import { clusterDefinition } from '../../../../authoring/test-environments/cluster-definition.js';
import { environmentName } from '../../../../authoring/test-environments/environment-name.js';
import { testContext } from '../../../../authoring/test-environments/test-context.js';
import { chooseHostPlan } from '../../../../authoring/test-environments/test-definition.js';
import { defineCommand } from '../../../command.js';
import { chooseTopology, versionsIn } from '../../../shared/test-environments/asked-topology.js';
import { makeEnvironment } from '../../../shared/test-environments/make-environment.js';
import { checkEnvironmentName } from '../../../shared/test-environments/named-environment.js';
import { HOSTS, STAY_OPTIONS, scriptsIn, TEST_OPTIONS } from '../../../shared/test-environments/options.js';
import { chooseStaying } from '../../../shared/test-environments/staying.js';

export const command = defineCommand({
  arguments: [['[topology]', 'a topology, or - for a topology from standard input: provisioning test topology list']],
  options: [
    {
      flags: '--version <version>',
      about: 'version of its taskserv, TASKSERV=VERSION if there are several; can be repeated',
      repeated: true,
    },
    { flags: '--image <name>', about: 'image of all hosts' },
    ...STAY_OPTIONS,
    ...TEST_OPTIONS,
    ...HOSTS,
  ],
  details:
    'Creates the servers from a topology as hosts of this machine. Standard input can contain a topology; the name then sets the taskserv of --version. Its tests include the scripts of the topology.',
  examples: [
    'test env cluster postgres_redis --auto-start',
    'test env cluster etcd_cluster --version etcd=3.4 --name members',
    'test env cluster - --auto-start --auto-cleanup',
  ],
  async run(session, { args: [topologyName], flags }) {
    const { version = [], image, name } = flags;
    const how = await chooseStaying(flags);
    const own = await scriptsIn(flags.script);
    const asked = await chooseTopology(session, topologyName);
    const { topology } = asked;
    const infra = name === undefined ? environmentName(topology.name) : checkEnvironmentName(name);
    const wish = { infra, topology, versions: versionsIn(version, asked), plan: chooseHostPlan(flags), image };
    const test = await clusterDefinition(testContext(session), wish);
    return makeEnvironment(session, { ...test, scripts: [...test.scripts, ...own] }, how);
  },
});
