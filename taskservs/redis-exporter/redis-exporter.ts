import * as z from 'zod';
import {
  askAt,
  debianVersions,
  MANAGED_FILE_HEADER,
  offering,
  type PlanContext,
  packageService,
  port,
  reachedAtPort,
  secret,
  secretAs,
  text,
} from '../../sdk/index.js';

const DEFAULTS = '/etc/default/prometheus-redis-exporter';

const pattern = z.string().regex(/^(db[0-9]{1,3}=)?[A-Za-z0-9_:.*?-]+$/, {
  error: 'a pattern of keys is letters, digits and _:.*?-, after "db2=" where it is of another database',
});

const config = z
  .strictObject({
    port: port(9121).describe('TCP port on which /metrics is served'),
    password: secret().optional().describe('Password of redis, the same as there'),
    keys: z.array(pattern).default([]).describe('Keys whose sizes are measured, such as lengths of queues'),
  })
  .meta({ examples: [{ password: { generate: 'password', name: 'redis' }, keys: ['queue:*'] }] });

/** Where the redis of this server is asked; by TLS, its certificate has no name for its address. */
function redisLines({ host, peers }: PlanContext): string[] {
  const own = offering(peers, 'redis').find(({ server }) => server === host.name);
  const at = own ? reachedAtPort(own, host) : '127.0.0.1:6379';
  if (!own?.endpoint.tls) return [`REDIS_ADDR=redis://${at}`];
  return [`REDIS_ADDR=rediss://${at}`, 'REDIS_EXPORTER_SKIP_TLS_VERIFICATION=true'];
}

/** Measures the redis of its server. */
export const redisExporter = packageService({
  name: 'redis-exporter',
  category: 'observability',
  holds: [],
  description: 'Measures the redis of its server, for Prometheus to scrape.',
  versions: debianVersions({ 12: '1.45', 13: '1.69' }),
  supports: { os: ['debian'] },
  requires: ['redis'],
  config,
  endpoints: ({ port }) => [{ name: 'metrics', port, path: '/metrics' }],
  uses: () => ['redis'],
  package: 'prometheus-redis-exporter',
  listens: 'metrics',
  files: {
    defaults: {
      path: DEFAULTS,
      mode: '0600',
      content({ port, password, keys }, context) {
        const { listening } = context;
        const lines = [
          MANAGED_FILE_HEADER,
          `REDIS_EXPORTER_WEB_LISTEN_ADDRESS=${listening === 'all' ? '' : askAt(listening)}:${port}`,
          ...redisLines(context),
          `REDIS_EXPORTER_CHECK_KEYS=${keys.join(',')}`,
          'ARGS=""',
          '',
        ].join('\n');
        return password ? text`${lines}REDIS_PASSWORD=${secretAs('environment-file', password)}\n` : lines;
      },
    },
  },
  health: ({ port }, { listening }) => [
    { title: 'redis-exporter measures redis', http: `http://${askAt(listening)}:${port}/metrics`, expect: 'redis_up 1' },
  ],
});
