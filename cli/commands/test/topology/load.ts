import { clusterDefinition } from '../../../../authoring/test-environments/cluster-definition.js';
import { testContext } from '../../../../authoring/test-environments/test-context.js';
import { inputError } from '../../../../core/errors.js';
import { defineCommand } from '../../../command.js';
import { writeDocument } from '../../../render/document.js';
import { chooseTopology } from '../../../shared/test-environments/asked-topology.js';

export const command = defineCommand({
  arguments: [['<topology>', 'name of a topology, or - for a topology from standard input: provisioning test topology list']],
  details: 'Validates and prints a topology, as input for `test env cluster` or as a start for your own.',
  examples: ['test topology load etcd_cluster', 'test topology load postgres_redis --json'],
  async run(session, { args: [name = ''] }) {
    const { topology } = await chooseTopology(session, name);
    const { unavailable, source } = topology;
    if (unavailable !== undefined)
      throw inputError({
        ...{ code: 'topology-unavailable', what: 'load the topology', on: topology.name, why: unavailable },
        hint: 'provisioning test topology list shows all topologies',
      });
    await clusterDefinition(testContext(session), { infra: 'topology', topology });
    if (session.json) writeDocument(session, source.value);
    else session.out.data(source.texts?.[0]?.text ?? '');
    return 0;
  },
});
