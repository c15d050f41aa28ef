import { type GroupService, runPython } from './group-service.js';

const KAZOO = `
import logging, sys
from kazoo.client import KazooClient
logging.disable(logging.CRITICAL)
client = KazooClient(hosts='127.0.0.1:2181', timeout=8)
client.start(timeout=8)
`;

export const zookeeper: GroupService = {
  name: 'zookeeper',
  unit: 'zookeeper',
  config: { cluster: 'main', allow: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'], heap: '96 MiB' },
  change: { snapshots: 5 },
  changed: { shown: 'grep ^autopurge.snap /var/lib/zookeeper/cluster/zoo.cfg', is: 'autopurge.snapRetainCount=5' },
  write: (key, value) => runPython(`${KAZOO}client.create('/' + sys.argv[1], sys.argv[2].encode())`, key, value),
  read: (keys) =>
    runPython(
      `${KAZOO}client.sync('/')
for key in sys.argv[1:]: print(key + '=' + client.get('/' + key)[0].decode())`,
      ...keys,
    ),
};
