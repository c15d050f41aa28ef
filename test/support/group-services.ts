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

const generated = (ca: string, names: string[]) =>
  Object.fromEntries(['certificate', 'key', 'authority'].map((part) => [part, { generate: 'certificate', ca, names, part }]));

const KAZOO = `
import logging, sys
from kazoo.client import KazooClient
logging.disable(logging.CRITICAL)
client = KazooClient(hosts='127.0.0.1:2181', timeout=8)
client.start(timeout=8)
`;

const NATS = `
import base64, json, socket, sys
plain = socket.create_connection((socket.gethostname(), 4222), 5)
plain.settimeout(8)
answers = plain.makefile('rb')
answers.readline()
plain.sendall(b'CONNECT {"verbose":false,"user":"shop","pass":"shop-password","headers":true,"no_responders":true}\\r\\nSUB _INBOX.1 1\\r\\n')
def ask(subject, content):
    plain.sendall(b'PUB %s _INBOX.1 %d\\r\\n%s\\r\\n' % (subject.encode(), len(content), content))
    for line in answers:
        if line.startswith(b'PING'): plain.sendall(b'PONG\\r\\n')
        elif line.startswith(b'-ERR'): sys.exit(line)
        elif line.startswith(b'HMSG'): sys.exit('no responders')
        elif line.startswith(b'MSG'):
            answer = json.loads(answers.read(int(line.split()[-1])))
            answers.readline()
            return answer if 'error' not in answer else sys.exit(str(answer))
    sys.exit('the connection ended')
`;

/** Each plays the same story on three hosts (`test/end-to-end/group-services.test.ts`). The next service is a row. */
export const GROUP_SERVICES: readonly GroupService[] = [
  {
    name: 'nats',
    unit: 'nats-server',
    config: {
      ...{ cluster: 'main', jetStream: true, users: [{ name: 'shop', password: { secret: 'shop' } }] },
      adminPassword: { secret: 'nats-admin' },
      peerTls: generated('nats-peers', ['a', 'b', 'c']),
    },
    secrets: { shop: 'shop-password', 'nats-admin': 'admin-password' },
    change: { maxPayload: '2 MiB' },
    changed: { shown: 'grep ^max_payload /etc/nats-server.conf', is: 'max_payload: 2097152' },
    write: (key, value) =>
      python(
        `${NATS}
stream = {'name': 'T', 'subjects': ['t.>'], 'num_replicas': 3}
if sys.argv[1] == 'k0': ask('$JS.API.STREAM.CREATE.T', json.dumps(stream).encode())
ask('t.' + sys.argv[1], sys.argv[2].encode())`,
        ...[key, value],
      ),
    read: (keys) =>
      python(
        `${NATS}
for key in sys.argv[1:]:
    message = ask('$JS.API.STREAM.MSG.GET.T', json.dumps({'last_by_subj': 't.' + key}).encode())['message']
    print(key + '=' + base64.b64decode(message['data']).decode())`,
        ...keys,
      ),
  },
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
