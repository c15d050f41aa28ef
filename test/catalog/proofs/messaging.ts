import type { Proofs } from '../proof.js';

const nats = (login: string): string => `exec 3<>/dev/tcp/$(hostname)/4222
printf 'CONNECT %s\\r\\nSUB news 1\\r\\nPUB news 5\\r\\nhello\\r\\n' '${login}' >&3
timeout 5 grep -m1 -A1 '^MSG news 1 5' <&3 | grep -c hello`;

/** A client of mosquitto's as an account, with its password out of the file that root alone reads. */
const MQTT_CLIENT = `[ -x /usr/bin/mosquitto_pub ] || DEBIAN_FRONTEND=noninteractive apt-get -qy --no-install-recommends install mosquitto-clients >&2
client() { "mosquitto_$1" -h "$(hostname)" -u "$2" -P "$(sed -n "s/^$2://p" /etc/mosquitto/accounts)" "\${@:3}"; }
refused() { ! "$@"; }`;

const shop = { name: 'shop', password: { generate: 'password' } };

export const messaging: Proofs = {
  mosquitto: {
    config: {
      users: [shop, { name: 'sensor', password: { generate: 'password' }, topics: [{ topic: 'sensors/#', access: 'write' }] }],
    },
    works: `${MQTT_CLIENT}
client pub sensor -q 1 -r -t sensors/hall -m 21
client pub sensor -q 1 -r -t orders/1 -m forged
[ "$(client sub shop -t '#' -v -W 2 || true)" = 'sensors/hall 21' ]
[ -z "$(client sub sensor -t '#' -W 1 || true)" ]
refused mosquitto_pub -h "$(hostname)" -u shop -P wrong -t sensors/hall -m 22
refused mosquitto_pub -h "$(hostname)" -t sensors/hall -m 22`,
    changed: {
      config: { users: [shop, { name: 'stock', password: { generate: 'password' } }] },
      works: `${MQTT_CLIENT}
[ "$(client sub stock -t 'sensors/#' -C 1 -W 5)" = 21 ]
refused client pub sensor -t sensors/hall -m 22`,
    },
    units: ['mosquitto'],
    gone: '[ ! -e /run/mosquitto-accounts ] && [ ! -e /etc/mosquitto/accounts ]',
  },
  nats: {
    config: { users: [{ name: 'shop', password: { generate: 'password' } }], jetStream: true },
    works: `password=$(sed -n "s/.*user: \\"shop\\", password: '\\(.*\\)'.*/\\1/p" /etc/nats-server.conf)
${nats('{"verbose":false,"user":"shop","pass":"\'"$password"\'"}')}
[ -d /var/lib/nats/jetstream ]`,
    changed: {
      config: { maxPayload: '2 MiB', jetStream: true },
      works: 'exec 3<>/dev/tcp/127.0.0.1/4222; head -n1 <&3 | grep -c \'"max_payload":2097152\'',
    },
    units: ['nats-server'],
  },
};
