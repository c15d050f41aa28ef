import * as z from 'zod';
import {
  debianVersions,
  type HealthContext,
  type ListenAddress,
  listeningOn,
  packageService,
  port,
  secret,
  sh,
  size,
  tlsOnAnotherPort,
} from '../../sdk/index.js';
import {
  ACCOUNTS,
  ACL,
  accounts,
  acl,
  dropIn,
  HASH_SCRIPT,
  HEALTH_TOPIC,
  hashScript,
  type MosquittoConfig,
  mosquittoConf,
} from './mosquitto-files.js';

const topic = z.strictObject({
  topic: z
    .string()
    .max(255)
    .regex(/^(?=.)(#|(\+|[A-Za-z0-9._$-]*)(\/(\+|[A-Za-z0-9._$-]*))*(\/#)?)$/, {
      error: 'a topic has levels of letters, digits and ._$- with / between; + is any level, # is all following levels',
    })
    .describe('Topic, with + for any level and # for all that follow: `sensors/+/temperature`'),
  access: z.enum(['read', 'write', 'readwrite']).default('readwrite').describe('Allowed actions of the account'),
});

const user = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._@-]{0,62}$/, { error: 'the name of an account has up to 63 letters, digits and ._@-' })
    .describe('Name of the account'),
  password: secret().describe('Password of the account'),
  topics: z.array(topic).optional().describe('Topics that it may read and write; default: all'),
});

const config = z
  .strictObject({
    port: port(1883).describe('TCP port on which clients connect'),
    users: z
      .array(user)
      .refine((users) => new Set(users.map(({ name }) => name)).size === users.length, {
        error: 'each account may be listed only once',
      })
      .default([])
      .describe('Accounts of clients; without accounts it listens only on loopback'),
    tls: tlsOnAnotherPort(8883)
      .optional()
      .describe('TLS for clients; without it only this server can connect, unless `required` is false'),
    persistence: z.boolean().default(true).describe('Whether retained messages, subscriptions and queues survive a restart'),
    maxMessage: size('1 MiB')
      .refine((bytes) => bytes >= 1024 && bytes < 2 ** 28, {
        error: 'the maximum size of a message is from 1 KiB to less than 256 MiB',
      })
      .describe('Size of a message with its topic, at most'),
    maxQueued: z.int().min(1).max(1_000_000).default(1000).describe('Messages that wait for one client, at most'),
  })
  .refine(({ port, tls }) => port !== tls?.port, { path: ['tls', 'port'], error: 'the TLS port must differ from the other ports' })
  .meta({
    examples: [
      {
        users: [
          { name: 'shop', password: { generate: 'password' } },
          { name: 'sensor', password: { generate: 'password' }, topics: [{ topic: 'sensors/#', access: 'write' }] },
        ],
      },
    ],
  });

/** Publishes a message and receives it, as the account of its environment. Packets of MQTT 3.1.1, written as one. */
const PUBLISH_AND_RECEIVE = `LC_ALL=C
packets=
byte() { local hex; printf -v hex %02x "$1"; packets+="\\\\x$hex"; }
text() { byte $((\${#1} / 256)); byte $((\${#1} % 256)); packets+="\${1//\\\\/\\\\\\\\}"; }
flags=2 length=12
if [ -n "\${MQTT_USER-}" ]; then flags=194 length=$((16 + \${#MQTT_USER} + \${#MQTT_PASSWORD})); fi
byte 16
while [ $length -ge 128 ]; do byte $((length % 128 + 128)); length=$((length / 128)); done
byte $length; text MQTT; byte 4; byte $flags; byte 0; byte 30; text ''
if [ $flags != 2 ]; then text "$MQTT_USER"; text "$MQTT_PASSWORD"; fi
byte 130; byte $((5 + \${#topic})); byte 0; byte 1; text "$topic"; byte 0
byte 48; byte $((11 + \${#topic})); text "$topic"
printf '%breceived\\n' "$packets" >&3
timeout 5 grep -aom1 received <&3`;

const isPlain = ({ users, tls }: MosquittoConfig): boolean => users.length > 0 && !tls?.required;

const plain = (config: MosquittoConfig, context: HealthContext): ListenAddress =>
  isPlain(config) ? listeningOn('mosquitto', 'mqtt', context) : 'loopback';
const byTls = ({ users, tls }: MosquittoConfig, context: HealthContext): ListenAddress =>
  users.length > 0 && tls ? listeningOn('mosquitto', 'mqtts', context) : 'loopback';

/** Passes messages between devices and programs. */
export const mosquitto = packageService({
  name: 'mosquitto',
  category: 'messaging',
  holds: ({ persistence }) => (persistence ? ['/var/lib/mosquitto'] : []),
  description: 'MQTT broker for messages between devices and programs.',
  versions: debianVersions({ 12: '2.0', 13: '2.0' }),
  supports: { os: ['debian'] },
  config,
  endpoints: (config) => [
    { name: 'mqtt', port: config.port, local: !isPlain(config) },
    ...(config.tls ? [{ name: 'mqtts', port: config.tls.port, tls: true, local: config.users.length === 0 }] : []),
  ],
  // Whichever has an address to wait for.
  listens: (config, context) =>
    [plain(config, context), byTls(config, context)].find((one) => typeof one === 'object') ?? 'loopback',
  files: {
    conf: {
      path: '/etc/mosquitto/mosquitto.conf',
      content: (config, at) => mosquittoConf(config, { plain: plain(config, at), tls: byTls(config, at) }),
    },
    accounts: { path: ACCOUNTS, content: accounts, mode: '0600', reload: true },
    acl: { path: ACL, content: acl, mode: '0640', owner: 'root:mosquitto', reload: true },
    hashScript: { path: HASH_SCRIPT, content: hashScript, mode: '0755' },
    dropIn: { path: '/etc/systemd/system/mosquitto.service.d/provisioning.conf', content: dropIn },
  },
  tls: {
    of: ({ tls }) => tls,
    group: 'mosquitto',
    reload: true,
    connect: ({ tls }) => ({ connect: `127.0.0.1:${tls?.port}` }),
  },
  health: ({ port, users: [first] }) => [
    {
      title: 'mosquitto passes a message on',
      command: `${sh`exec 3<>/dev/tcp/127.0.0.1/${port}`}\n${sh`topic=${HEALTH_TOPIC}`}\n${PUBLISH_AND_RECEIVE}`,
      expect: 'received',
      env: first && { MQTT_USER: first.name, MQTT_PASSWORD: [first.password] },
    },
  ],
});
