import { type GroupService, makeCertificates, runPython } from './group-service.js';

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

export const nats: GroupService = {
  name: 'nats',
  unit: 'nats-server',
  config: {
    ...{ cluster: 'main', jetStream: true, users: [{ name: 'shop', password: { secret: 'shop' } }] },
    adminPassword: { secret: 'nats-admin' },
    peerTls: makeCertificates('nats-peers', ['a', 'b', 'c']),
  },
  secrets: { shop: 'shop-password', 'nats-admin': 'admin-password' },
  change: { maxPayload: '2 MiB' },
  changed: { shown: 'grep ^max_payload /etc/nats-server.conf', is: 'max_payload: 2097152' },
  write: (key, value) =>
    runPython(
      `${NATS}
stream = {'name': 'T', 'subjects': ['t.>'], 'num_replicas': 3}
if sys.argv[1] == 'k0': ask('$JS.API.STREAM.CREATE.T', json.dumps(stream).encode())
ask('t.' + sys.argv[1], sys.argv[2].encode())`,
      ...[key, value],
    ),
  read: (keys) =>
    runPython(
      `${NATS}
for key in sys.argv[1:]:
    message = ask('$JS.API.STREAM.MSG.GET.T', json.dumps({'last_by_subj': 't.' + key}).encode())['message']
    print(key + '=' + base64.b64decode(message['data']).decode())`,
      ...keys,
    ),
};
