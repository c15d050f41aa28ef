import { makeCertificates } from '../groups/group-service.js';
import { KAFKA_CLIENT, KAFKA_FOLDER, KAFKA_JARS } from '../kafka-client.js';
import type { Proofs } from '../proof.js';
import { clientFiles, TLS_CLIENT, tlsFrom } from '../tls.js';

const nats = (login: string): string => `exec 3<>/dev/tcp/$(hostname)/4222
printf 'CONNECT %s\\r\\nSUB news 1\\r\\nPUB news 5\\r\\nhello\\r\\n' '${login}' >&3
timeout 5 grep -m1 -A1 '^MSG news 1 5' <&3 | grep -c hello`;

/** Asks nats on the host `a` by TLS, knowing an authority: `nats.py AUTHORITY PASSWORD`. */
const NATS_CLIENT = `import json, socket, ssl, sys
authority, password = sys.argv[1:]
plain = socket.create_connection((socket.gethostbyname(socket.gethostname()), 4222), 5)
while not plain.recv(1).endswith(b'\\n'): pass
nats = ssl.create_default_context(cafile='/root/%s.pem' % authority).wrap_socket(plain, server_hostname='a')
login = json.dumps({'verbose': False, 'user': 'shop', 'pass': password})
nats.sendall(('CONNECT %s\\r\\nSUB news 1\\r\\nPUB news 5\\r\\nhello\\r\\n' % login).encode())
for line in nats.makefile('rb'):
    if line.startswith(b'-ERR'): sys.exit(line.decode())
    if line.startswith(b'hello'): print(nats.version(), 'hello'); break
`;

/** Client of mosquitto for an account. Its password comes from the file that only root can read. */
const MQTT_CLIENT = `[ -x /usr/bin/mosquitto_pub ] || DEBIAN_FRONTEND=noninteractive apt-get -qy --no-install-recommends install mosquitto-clients >&2
mqtt() { "mosquitto_$1" -h a -p 8883 --cafile /root/ca.pem "\${@:2}"; }
client() { mqtt "$1" -u "$2" -P "$(sed -n "s/^$2://p" /etc/mosquitto/accounts)" "\${@:3}"; }
${TLS_CLIENT}`;

/** Client of rabbitmq for the proof's own account, in the vhost of the shop. */
const AMQP_CLIENT = `[ -x /usr/bin/amqp-get ] || DEBIAN_FRONTEND=noninteractive apt-get -qy --no-install-recommends install amqp-tools >&2
ctl() { rabbitmqctl -q "$@" </dev/null; }
client() { timeout 20 "amqp-$1" --ssl --cacert="\${CA:-/root/ca.pem}" --url "amqps://$2@a:$3/shop" "\${@:4}"; }
plain() { timeout 20 "amqp-$1" --url "amqp://$2@$(hostname):$3/shop" "\${@:4}"; }
${TLS_CLIENT}`;

/** Mail relay on this host that writes received messages to a file. */
const MAIL_RELAY = `cat >/root/relay.pl <<'END'
use IO::Socket::INET; $| = 1;
my $server = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => 2525, Listen => 5, ReuseAddr => 1) or die;
while (my $client = $server->accept) {
  print $client "220 relay\\r\\n"; my $data = 0;
  while (my $line = <$client>) {
    print $line;
    if ($data) { if ($line =~ /^\\.\\r/) { $data = 0; print $client "250 taken\\r\\n" } }
    elsif ($line =~ /^EHLO/) { print $client "250-relay\\r\\n250 AUTH PLAIN\\r\\n" }
    elsif ($line =~ /^AUTH/) { print $client "235 welcome\\r\\n" }
    elsif ($line =~ /^DATA/) { $data = 1; print $client "354 go on\\r\\n" }
    elsif ($line =~ /^QUIT/) { print $client "221 bye\\r\\n"; last }
    else { print $client "250 ok\\r\\n" }
  }
}
END
ss -Hltn 'sport = :2525' | grep -c : >&2 || { setsid perl /root/relay.pl >>/root/relayed 2>&1 </dev/null & sleep 1; }
: >/root/relayed
relayed() { for _ in $(seq 20); do grep -F -- "$1" /root/relayed && return; sleep 0.5; done; return 1; }`;

const relay = { host: '127.0.0.1', port: 2525, tls: 'opportunistic' };

const shop = { name: 'shop', password: { generate: 'password', name: 'shop-mq' } };

const KAFKA = {
  ...{ tls: makeCertificates('kafka', ['a']), heap: '192 MiB', createTopics: true },
  artifact: { $artifact: 'kafka.tgz' },
};

const KAFKA_ASKS = `cat >/root/kafka.py <<'END'
${KAFKA_CLIENT}END
client() { timeout 30 python3 /root/kafka.py a:9092 "$@"; }
refused() { if "$@"; then exit 1; fi; }`;

export const messaging: Proofs = {
  kafka: {
    artifacts: { 'kafka.tgz': { as: KAFKA_FOLDER, jars: KAFKA_JARS } },
    config: KAFKA,
    works: `${KAFKA_ASKS}
client tls put news k1 hello
client tls get news k1 | grep -x k1=hello
refused client plain get news k1
ls /var/lib/kafka/data/news-0
[ "$(stat -c %U:%a /etc/kafka/clients.pem)" = root:640 ]`,
    changed: {
      config: { ...KAFKA, retention: '30 d' },
      works: `${KAFKA_ASKS}
grep -x log.retention.ms=2592000000 /etc/kafka/server.properties
client tls get news k1 | grep -x k1=hello
client tls put news k2 there`,
    },
    units: ['kafka'],
    gone: '[ ! -e /etc/kafka/server.properties ] && [ ! -e /etc/kafka/clients.pem ] && [ -e /var/lib/kafka/data ]',
  },
  mosquitto: {
    with: [clientFiles()],
    config: {
      tls: tlsFrom(),
      users: [shop, { name: 'sensor', password: { generate: 'password' }, topics: [{ topic: 'sensors/#', access: 'write' }] }],
    },
    works: `${MQTT_CLIENT}
private mosquitto mosquitto
tls_holds 8883
refused client pub sensor -t sensors/hall -m 1 --cafile /root/other.pem
refused timeout 5 bash -c "echo >/dev/tcp/$(hostname)/1883"
client pub sensor -q 1 -r -t sensors/hall -m 21
client pub sensor -q 1 -r -t orders/1 -m forged
[ "$(client sub shop -t '#' -v -W 2 || true)" = 'sensors/hall 21' ]
[ -z "$(client sub sensor -t '#' -W 1 || true)" ]
refused mqtt pub -u shop -P wrong -t sensors/hall -m 22
refused mqtt pub -t sensors/hall -m 22`,
    changed: {
      config: {
        users: [shop, { name: 'stock', password: { generate: 'password' } }],
        tls: { ...tlsFrom('mqtt'), required: false },
      },
      works: `${MQTT_CLIENT}
tls_holds 8883
refused mosquitto_pub -h a -t sensors/hall -m 22
[ "$(client sub stock -t 'sensors/#' -C 1 -W 5)" = 21 ]
refused client pub sensor -t sensors/hall -m 22`,
    },
    units: ['mosquitto'],
    gone: '[ ! -e /run/mosquitto-accounts ] && [ ! -e /etc/mosquitto/accounts ]',
  },
  nats: {
    with: [clientFiles(shop.password)],
    config: { users: [shop], jetStream: true, tls: tlsFrom() },
    works: `${TLS_CLIENT}
private nats nats
cat >/root/nats.py <<'END'
${NATS_CLIENT}END
ask() { python3 /root/nats.py "$1" "$(cat /root/password)"; }
ask ca | grep -x 'TLSv1.3 hello'
refused ask other
exec 3<>/dev/tcp/$(hostname)/4222
printf 'CONNECT {"user":"shop","pass":"%s"}\\r\\nPING\\r\\n' "$(cat /root/password)" >&3
refused timeout 5 grep -m1 PONG <&3
[ -d /var/lib/nats/jetstream ]`,
    changed: {
      config: { users: [shop], maxPayload: '2 MiB', jetStream: true, tls: { ...tlsFrom('nats'), required: false } },
      works: `exec 3<>/dev/tcp/$(hostname)/4222; head -n1 <&3 | grep -c '"max_payload":2097152'
python3 /root/nats.py ca "$(cat /root/password)" | grep -x 'TLSv1.3 hello'
${nats('{"verbose":false,"user":"shop","pass":"\'"$(cat /root/password)"\'"}')}`,
    },
    units: ['nats-server'],
  },
  postfix: {
    with: [clientFiles()],
    config: {
      origin: 'example.org',
      relay: { ...relay, account: { name: 'web', password: { generate: 'password' } } },
      aliases: [{ name: 'root', to: ['ops@example.org'] }],
    },
    works: `${MAIL_RELAY}
printf 'Subject: proof\\n\\nseven shoes\\n' | sendmail root
relayed 'seven shoes'; relayed 'MAIL FROM:<root@example.org>'; relayed 'RCPT TO:<ops@example.org>'
relayed "AUTH PLAIN $(printf '\\0web\\0%s' "$(sed 's/.* web://' /etc/postfix/relay-account)" | base64 -w0)"`,
    changed: {
      config: {
        relay,
        aliases: [{ name: 'root', to: ['night@example.org'] }],
        allow: ['172.16.0.0/12', '10.0.0.0/8', '192.168.0.0/16'],
        tls: tlsFrom(),
      },
      works: `${MAIL_RELAY}
${TLS_CLIENT}
private postfix root
tls_holds 25 -starttls smtp
# An address that is allowed, and none that postfix listens on: another host, as far as it can tell.
ip address replace 10.99.0.1/32 dev lo
send() { printf 'Subject: proof\\r\\n\\r\\n%s\\r\\n' "$1" | curl -sS --upload-file - --mail-from shop@example.org --mail-rcpt root@a smtp://a:25 "\${@:2}"; }
elsewhere() { send "$@" --interface 10.99.0.1; }
elsewhere 'one hat' --ssl-reqd --cacert /root/ca.pem
relayed 'one hat'; relayed 'RCPT TO:<night@example.org>'
refused elsewhere 'two hats' --ssl-reqd --cacert /root/other.pem
refused elsewhere 'two hats' 2>/tmp/why; grep -c 530 /tmp/why
send 'no hat'; relayed 'no hat'
refused grep 'two hats' /root/relayed
if grep AUTH /root/relayed; then exit 1; fi`,
    },
    units: ['postfix', 'postfix@-'],
    gone: '[ ! -e /etc/tls/postfix/key.pem ]',
  },
  rabbitmq: {
    with: [clientFiles()],
    // Erlang resolves names itself, through sockets that stay open until the answer.
    sendsUdp: true,
    config: { users: [shop], vhosts: [{ name: 'shop', users: ['shop'] }], tls: tlsFrom() },
    works: `${AMQP_CLIENT}
private rabbitmq rabbitmq
tls_holds 5671
refused timeout 5 bash -c "echo >/dev/tcp/$(hostname)/5672"
ctl list_permissions -p shop | grep -P 'shop\\t\\.\\*\\t\\.\\*\\t\\.\\*'
ctl list_users | grep -c ^proof || { ctl add_user proof proof; ctl set_permissions -p shop proof '.*' '.*' '.*'; ctl set_permissions -p shop guest '.*' '.*' '.*'; }
client declare-queue proof:proof 5671 -d -q orders
client publish proof:proof 5671 -p -r orders -b 'seven shoes'
client get proof:proof 5671 -q orders | grep -c 'seven shoes'
CA=/root/other.pem refused client publish proof:proof 5671 -p -r orders -b forged
client publish proof:proof 5671 -p -r orders -b 'one hat'
refused client get guest:guest 5671 -q orders
refused client get proof:wrong 5671 -q orders
curl -fsS "http://$(hostname):15692/metrics" | grep -c '^rabbitmq_queues 1'
for port in 4369 25672; do refused timeout 5 bash -c "echo >/dev/tcp/$(hostname)/$port"; done`,
    changed: {
      config: {
        port: 5673,
        tls: { ...tlsFrom('queue'), required: false },
        users: [shop],
        vhosts: [
          { name: 'shop', users: ['shop'] },
          { name: 'stock', users: ['shop'] },
        ],
      },
      works: `${AMQP_CLIENT}
ctl list_permissions -p stock | grep -c ^shop
tls_holds 5671
plain publish proof:proof 5673 -p -r orders -b 'one coat'
plain get proof:proof 5673 -q orders | grep -c one`,
    },
    units: ['rabbitmq-server', 'epmd.socket', 'epmd.service'],
  },
  zookeeper: {
    config: { allow: ['172.16.0.0/12', '10.0.0.0/8', '192.168.0.0/16'] },
    works: `zk() { /usr/share/zookeeper/bin/zkCli.sh -server "$(hostname):2181" "$@" </dev/null 2>&1; }
zk create /orders 'seven shoes' >&2 || true
[ "$(zk get /orders | grep -c '^seven shoes')" = 1 ]
zk ls / | grep -c 'orders, zookeeper'`,
    changed: {
      config: { port: 2182, heap: '128 MiB' },
      works: `[ "$(/usr/share/zookeeper/bin/zkCli.sh -server 127.0.0.1:2182 get /orders </dev/null 2>&1 | grep -c '^seven shoes')" = 1 ]
pgrep -fc '^/usr/bin/java -Xmx128m'
! timeout 5 bash -c "echo >/dev/tcp/$(hostname)/2182"`,
    },
    units: ['zookeeper'],
  },
};
