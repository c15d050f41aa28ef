import * as z from 'zod';
import {
  askAt,
  debianVersions,
  duration,
  line,
  listeningOn,
  MANAGED_FILE_HEADER,
  packageService,
  port,
  secret,
  secretAs,
  sh,
  size,
  text,
} from '../../sdk/index.js';

const DATA = '/var/lib/victoria-metrics';

const config = z
  .strictObject({
    port: port(8428).describe('TCP port of API and web interface'),
    user: line(64)
      .regex(/^[A-Za-z0-9._-]+$/, { error: 'the name of a user has letters, digits and ._-' })
      .default('metrics')
      .describe('User that may write and query'),
    password: secret().optional().describe('Password of the user; without one it listens only on loopback'),
    retention: duration('31 d')
      .refine((seconds) => seconds >= 86_400, { error: 'keep samples for at least one day' })
      .describe('How long samples are kept'),
    maxMemory: size('256 MiB').describe('Memory for its caches, at most'),
  })
  .meta({ examples: [{ password: { generate: 'password' }, retention: '365 d', maxMemory: '1 GiB' }] });

/** Writes a sample and reads it, as the user of its environment: three requests of one curl, which takes longer to start than to ask. */
const writesAndReads = (at: string) => `login=$(printf '%s' "$VM_USER:\${VM_PASSWORD-}" | base64 -w0)
ask() { printf 'header = "Authorization: Basic %s"\\nfail\\nsilent\\nshow-error\\nmax-time = 10\\nurl = "%s"\\n' "$login" "$1"; }
{
  ask ${sh`http://${at}/api/v1/import/prometheus`}
  printf 'data-binary = "provisioning_health 1"\\nnext\\n'
  ask ${sh`http://${at}/internal/force_flush`}
  echo next
  ask ${sh`http://${at}/api/v1/export`}
  printf 'data = "match[]=provisioning_health"\\ndata = "start=%s"\\n' $((EPOCHSECONDS - 60))
} | curl -K -`;

/** Stores metrics for long. */
export const victoriametrics = packageService({
  name: 'victoriametrics',
  category: 'observability',
  holds: ['/var/lib/victoria-metrics'],
  description: 'Stores metrics for a long time, and answers queries.',
  versions: debianVersions({ 12: '1.79', 13: '1.112' }),
  supports: { os: ['debian'] },
  config,
  endpoints: ({ port, password }) => [
    { name: 'victoriametrics', port, path: '/', local: password === undefined },
    { name: 'metrics', port, path: '/metrics', local: password === undefined },
  ],
  package: 'victoria-metrics',
  listens: ({ password }, context) => (password ? listeningOn('victoriametrics', 'victoriametrics', context) : 'loopback'),
  files: {
    defaults: {
      path: '/etc/default/victoria-metrics',
      mode: '0600',
      content({ port, user, password, retention, maxMemory }, { listening }) {
        const args = [
          `-storageDataPath=${DATA}`,
          `-httpListenAddr=${listening === 'all' ? '' : askAt(listening)}:${port}`,
          `-retentionPeriod=${Math.ceil(retention / 3600)}h`,
          `-memory.allowedBytes=${maxMemory}`,
          '-selfScrapeInterval=15s',
          // The password is in the environment, where other users of the host do not see it.
          '-envflag.enable',
        ];
        const lines = `${MANAGED_FILE_HEADER}\nARGS="${args.join(' ')}"\n`;
        return password
          ? text`${lines}httpAuth_username=${user}\nhttpAuth_password=${secretAs('victoriametrics', password)}\n`
          : lines;
      },
    },
  },
  health: ({ port, user, password }, { listening }) => [
    {
      title: 'victoriametrics stores a sample',
      command: writesAndReads(`${askAt(listening)}:${port}`),
      expect: '"values":[1',
      env: { VM_USER: user, ...(password && { VM_PASSWORD: [password] }) },
    },
  ],
});
