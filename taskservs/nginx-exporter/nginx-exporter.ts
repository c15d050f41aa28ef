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
} from '../../sdk/index.js';

const config = z
  .strictObject({
    port: port(9113).describe('TCP port on which /metrics is served'),
    statusPath: z
      .string()
      .regex(/^\/[A-Za-z0-9._~/-]*$/, { error: 'a path of a URL begins with /' })
      .default('/nginx_status')
      .describe('Path of the status page, the same as in nginx'),
  })
  .meta({ examples: [{ port: 9113 }] });

/** Where the nginx of its server is asked: at loopback, to which alone it shows its status. */
function nginxAt({ host, peers }: PlanContext): string {
  const own = offering(peers, 'http').find(({ server, taskserv }) => server === host.name && taskserv === 'nginx');
  return own ? reachedAtPort(own, host) : '127.0.0.1:80';
}

/** Measures the nginx of its server. */
export const nginxExporter = packageService({
  name: 'nginx-exporter',
  category: 'observability',
  holds: [],
  description: 'Measures the nginx of its server, for Prometheus to scrape.',
  versions: debianVersions({ 12: '0.11', 13: '1.4' }),
  supports: { os: ['debian'] },
  requires: ['nginx'],
  config,
  endpoints: ({ port }) => [{ name: 'metrics', port, path: '/metrics' }],
  uses: () => ['http'],
  package: 'prometheus-nginx-exporter',
  listens: 'metrics',
  files: {
    defaults: {
      path: '/etc/default/prometheus-nginx-exporter',
      content({ port, statusPath }, context) {
        const { listening, version } = context;
        const args = [
          `-web.listen-address=${listening === 'all' ? '' : askAt(listening)}:${port}`,
          `-nginx.scrape-uri=http://${nginxAt(context)}${statusPath}`,
          // Before 1.0 it ends where nginx does not answer, and systemd starts it again a few times only.
          ...(version.startsWith('0.') ? ['-nginx.retries=1000000'] : []),
        ];
        return `${MANAGED_FILE_HEADER}\nARGS="${args.join(' ')}"\n`;
      },
    },
  },
  health: ({ port }, { listening }) => [
    { title: 'nginx-exporter measures nginx', http: `http://${askAt(listening)}:${port}/metrics`, expect: 'nginx_up 1' },
  ],
});
