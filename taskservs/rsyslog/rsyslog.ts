import * as z from 'zod';
import {
  debianVersions,
  hostPort,
  type ListenAddress,
  listeningOn,
  listOffered,
  literalAddressesOf,
  MANAGED_FILE_HEADER,
  type PlanContext,
  packageService,
  port,
  size,
} from '../../sdk/index.js';

const FOLDER = '/var/log/remote';

const config = z
  .strictObject({
    receive: z
      .boolean()
      .default(false)
      .describe('Whether it receives the messages of other servers; they then send them automatically'),
    port: port(514).describe('TCP port for messages'),
    keepDays: z.int().min(1).max(3650).default(30).describe('Days for which messages of other servers are kept'),
    forwardTo: z
      .array(hostPort('where messages go is written as "host:port"'))
      .default([])
      .describe('Further targets of messages by TCP, each as `host:port`'),
    queue: size('100 MiB').describe('Disk limit for unsent messages, for each target'),
  })
  .meta({ examples: [{ receive: true, keepDays: 90 }] });

type Config = z.output<typeof config>;
type At = PlanContext & { listening: ListenAddress };

/** Those of the definition that take messages. One that takes them sends none to others, or they would go in circles. */
const receivers = ({ receive }: Config, { host, peers }: At): string[] =>
  receive
    ? []
    : listOffered(peers, 'syslog')
        .filter(({ server }) => server !== host.name)
        .map(({ address, endpoint }) => `${address}:${endpoint.port}`);

function conf(config: Config, at: At): string {
  const { receive, port, forwardTo, queue } = config;
  const addresses = literalAddressesOf(at.listening)?.map((address) => ` address="${address}"`) ?? [''];
  return [
    MANAGED_FILE_HEADER,
    ...(receive
      ? [
          'module(load="imtcp")',
          // The name is what the message says, so it may be any but a path.
          `template(name="provisioning-remote" type="string" string="${FOLDER}/%HOSTNAME:::secpath-replace%.log")`,
          'ruleset(name="provisioning-remote") {',
          '  action(type="omfile" dynaFile="provisioning-remote" fileCreateMode="0640" dirCreateMode="0750" fileGroup="adm" dirGroup="adm")',
          '}',
          ...addresses.map((address) => `input(type="imtcp" port="${port}"${address} ruleset="provisioning-remote")`),
        ]
      : []),
    ...[...receivers(config, at), ...forwardTo].map((to, index) => forward(to, index, queue)),
    '',
  ].join('\n');
}

/** Messages wait on disk until the receiver accepts them. */
function forward(to: string, index: number, queue: number): string {
  const [, host = '', port = ''] = /^\[?(.*?)\]?:([0-9]+)$/.exec(to) ?? [];
  const target = `target="${host}" port="${port}" protocol="tcp" TCP_Framing="octet-counted" template="RSYSLOG_SyslogProtocol23Format"`;
  const waits = `queue.type="LinkedList" queue.filename="provisioning-${index}" queue.maxDiskSpace="${queue}" queue.saveOnShutdown="on"`;
  return `*.* action(type="omfwd" ${target} action.resumeRetryCount="-1" action.resumeInterval="5" ${waits})`;
}

const logrotate = ({ receive, keepDays }: Config): string | undefined =>
  receive
    ? `${MANAGED_FILE_HEADER}
${FOLDER}/*.log {
  daily
  rotate ${keepDays}
  missingok
  notifempty
  compress
  delaycompress
  sharedscripts
  postrotate
    /usr/lib/rsyslog/rsyslog-rotate
  endscript
}
`
    : undefined;

/** A message of this host's own, which has to come to its log. */
const WRITES = `id="health $$ $RANDOM$RANDOM"
logger -t provisioning "$id"
for _ in $(seq 50); do
  if tail -n 1000 /var/log/syslog | grep -F "$id" >/dev/null; then echo written; exit; fi
  sleep 0.1
done
exit 1`;

/** Keeps messages of the system in files, and sends them to other servers. */
export const rsyslog = packageService({
  name: 'rsyslog',
  category: 'observability',
  holds: ({ receive }) => (receive ? [FOLDER] : []),
  description: 'Writes system messages to files, sends them to other servers, and receives messages from them.',
  versions: debianVersions({ 12: '8.2302', 13: '8.2504' }),
  supports: { os: ['debian'] },
  config,
  endpoints: ({ receive, port }) => (receive ? [{ name: 'syslog', port }] : []),
  uses: ({ receive }) => (receive ? [] : ['syslog']),
  furtherPackages: ['logrotate'],
  listens: ({ receive }, context) => (receive ? listeningOn('rsyslog', 'syslog', context) : 'loopback'),
  files: {
    conf: { path: '/etc/rsyslog.d/10-provisioning.conf', content: conf },
    rotation: { path: '/etc/logrotate.d/provisioning-rsyslog', content: logrotate },
  },
  check: 'rsyslogd -N1',
  health: ({ receive, port }) => [
    { title: 'rsyslog writes a message to its file', command: WRITES, expect: 'written' },
    ...(receive ? [{ title: 'rsyslog takes messages of other servers', tcp: port }] : []),
  ],
});
