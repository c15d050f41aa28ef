import { quote } from '../../sdk/index.js';

/** A service that is a group, and how a client on the host of a member uses it. */
export interface GroupService {
  /** Of the taskserv. */
  name: string;
  /** Its systemd unit. */
  unit: string;
  config: Record<string, unknown>;
  /** Secrets that the configuration names. */
  secrets?: Readonly<Record<string, string>>;
  /** Another setting, which needs a restart. */
  change: Record<string, unknown>;
  /** Where the setting is shown, and what is shown. */
  changed: { shown: string; is: string };
  /** Bash that writes a value by the member of this host. Succeeds only once the group has acknowledged it. */
  write(key: string, value: string): string;
  /** Bash that prints `KEY=VALUE` of each key, by the member of this host. */
  read(keys: readonly string[]): string;
}

const python = (program: string, ...args: readonly string[]): string => `timeout 20 python3 -c ${quote(program)} ${args.join(' ')}`;

const KAZOO = `
import logging, sys
from kazoo.client import KazooClient
logging.disable(logging.CRITICAL)
client = KazooClient(hosts='127.0.0.1:2181', timeout=8)
client.start(timeout=8)
`;

/** Each plays the same story on three hosts (`test/end-to-end/group-services.test.ts`). The next service is a row. */
export const GROUP_SERVICES: readonly GroupService[] = [
  {
    name: 'zookeeper',
    unit: 'zookeeper',
    config: { cluster: 'main', allow: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'], heap: '96 MiB' },
    change: { snapshots: 5 },
    changed: { shown: 'grep ^autopurge.snap /var/lib/zookeeper/cluster/zoo.cfg', is: 'autopurge.snapRetainCount=5' },
    write: (key, value) => python(`${KAZOO}client.create('/' + sys.argv[1], sys.argv[2].encode())`, key, value),
    read: (keys) =>
      python(
        `${KAZOO}client.sync('/')
for key in sys.argv[1:]: print(key + '=' + client.get('/' + key)[0].decode())`,
        ...keys,
      ),
  },
];
