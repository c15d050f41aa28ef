import * as z from 'zod';
import {
  askAt,
  debianVersions,
  exporterService,
  listOffered,
  type PlanContext,
  port,
  reachedAtPort,
  secret,
  secretAs,
  text,
} from '../../sdk/index.js';

const pattern = z.string().regex(/^(db[0-9]{1,3}=)?[A-Za-z0-9_:.*?-]+$/, {
  error: 'a pattern of keys has letters, digits and _:.*?-; put "db2=" before it for another database',
});

const config = z
  .strictObject({
    port: port(9121).describe('TCP port on which /metrics is served'),
    password: secret().optional().describe('Password of redis, the same as there'),
    keys: z.array(pattern).default([]).describe('Keys whose sizes are measured, for example queues'),
  })
  .meta({ examples: [{ password: { generate: 'password', name: 'redis' }, keys: ['queue:*'] }] });

/** Address of this server's redis. With TLS, its certificate has no name for that address. */
function redisLines({ host, peers }: PlanContext): string[] {
  const own = listOffered(peers, 'redis').find(({ server }) => server === host.name);
  const at = own ? reachedAtPort(own, host) : '127.0.0.1:6379';
  if (!own?.endpoint.tls) return [`REDIS_ADDR=redis://${at}`];
  return [`REDIS_ADDR=rediss://${at}`, 'REDIS_EXPORTER_SKIP_TLS_VERIFICATION=true'];
}

/** Measures the redis of its server. */
export const redisExporter = exporterService({
  name: 'redis-exporter',
  description: 'Measures the redis of its server, as metrics for Prometheus.',
  versions: debianVersions({ 12: '1.45', 13: '1.69' }),
  requires: ['redis'],
  config,
  uses: () => ['redis'],
  variables: ({ port, keys }, context) => [
    `REDIS_EXPORTER_WEB_LISTEN_ADDRESS=${context.listening === 'all' ? '' : askAt(context.listening)}:${port}`,
    ...redisLines(context),
    `REDIS_EXPORTER_CHECK_KEYS=${keys.join(',')}`,
  ],
  args: () => [],
  secrets: ({ password }) => password && text`REDIS_PASSWORD=${secretAs('environment-file', password)}\n`,
  measures: () => ({ title: 'redis-exporter measures redis', expect: 'redis_up 1' }),
});
