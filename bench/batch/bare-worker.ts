/**
 * Worker with only the bare workflow. Arguments: address, namespace, file of the demo account, folder of the
 * certificates, file of the bundled workflow.
 */
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { demo } from '../../providers/demo/index.js';
import { homeConnection } from '../../settings/temporal-service.js';
import { QUEUE, wantedOf } from './wanted.js';

Runtime.install({ logger: new DefaultLogger('WARN') });
const [address = '', namespace = '', path = '', certificates = '', codePath = ''] = process.argv.slice(2);
const connection = await NativeConnection.connect(certificates ? homeConnection(address, certificates) : { address });
const provider = await demo.connect(demo.config.parse({ path }));
const scope = { workspace: 'default', infra: 'bare', uuid: 'bare' };
const access = { authorizedKey: '', hostKey: { private: '', public: '' } };
await provider.networks.create({ name: 'bare' }, { scope, key: 'network' });
const worker = await Worker.create({
  connection,
  namespace,
  taskQueue: QUEUE,
  workflowBundle: { codePath },
  activities: {
    async make(name: string) {
      await provider.servers.create(wantedOf(name), { scope, key: name, access });
    },
  },
});
const running = worker.run();
process.send?.('ready');
await running;
await connection.close();
