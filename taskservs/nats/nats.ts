import * as z from 'zod';
import {
  askAt,
  debianVersions,
  listeningOn,
  MANAGED_FILE_HEADER,
  packageService,
  port,
  secret,
  sh,
  size,
  tlsFiles,
  tlsOnItsPort,
  validForLong,
} from '../../sdk/index.js';
import { natsConf } from './nats-conf.js';
import { BY_TLS, IN_PLAIN } from './nats-health.js';

const CONF = '/etc/nats-server.conf';

const user = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, { error: 'the name of a user has up to 63 letters, digits and ._-' })
    .describe('Name of the user'),
  password: secret().describe('Password of the user'),
});

const config = z
  .strictObject({
    port: port(4222).describe('TCP port on which clients connect'),
    monitoringPort: port(8222).describe('TCP port of the monitoring pages, on loopback'),
    users: z
      .array(user)
      .refine((users) => new Set(users.map(({ name }) => name)).size === users.length, {
        error: 'each user may be listed only once',
      })
      .default([])
      .describe('Users; without users it listens only on loopback'),
    tls: tlsOnItsPort()
      .refine(({ minimum }) => minimum === 'TLSv1.2', { path: ['minimum'], error: 'nats 2.9 always allows TLS 1.2' })
      .optional()
      .describe('TLS for clients'),
    maxPayload: size('1 MiB').describe('Size of a message, at most'),
    jetStream: z.boolean().default(false).describe('Whether it keeps streams on disk'),
    maxStore: size('1 GiB').describe('Maximum disk space of all streams'),
  })
  .meta({ examples: [{ users: [{ name: 'shop', password: { generate: 'password' } }], jetStream: true }] });

const DROP_IN = `${MANAGED_FILE_HEADER}
[Service]
StateDirectory=nats
StateDirectoryMode=0750
NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome=yes
`;

/** Passes messages between programs. */
export const nats = packageService({
  name: 'nats',
  category: 'messaging',
  holds: ({ jetStream }) => (jetStream ? ['/var/lib/nats'] : []),
  description: 'Message broker with optional streams on disk.',
  versions: debianVersions({ 12: '2.9', 13: '2.10' }),
  supports: { os: ['debian'] },
  config,
  endpoints: ({ port, monitoringPort, users }) => [
    { name: 'nats', port, local: users.length === 0 },
    { name: 'nats-monitoring', port: monitoringPort, local: true },
  ],
  package: 'nats-server',
  listens: ({ users }, context) => (users.length > 0 ? listeningOn('nats', 'nats', context) : 'loopback'),
  files: {
    conf: {
      path: CONF,
      content: (config, { host, listening }) => natsConf(config, host.name, listening),
      mode: '0640',
      owner: 'root:nats',
    },
    dropIn: {
      path: '/etc/systemd/system/nats-server.service.d/provisioning.conf',
      // The package brings no folder for streams.
      content: () => DROP_IN,
    },
  },
  check: sh`nats-server -c ${CONF} -t`,
  tls: { of: ({ tls }) => tls, group: 'nats', reload: true, packages: ['python3'] },
  health: ({ port, tls, users: [first] }, { listening }) => [
    {
      title: 'nats passes a message on',
      command: `${sh`set -- ${askAt(listening)} ${port} ${tlsFiles('nats').certificate}`}\n${tls ? BY_TLS : IN_PLAIN}`,
      expect: 'received',
      env: first && { NATS_USER: first.name, NATS_PASSWORD: [first.password] },
    },
    ...(tls ? [validForLong('nats', tls.warnBefore)] : []),
  ],
});
