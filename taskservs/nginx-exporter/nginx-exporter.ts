import * as z from 'zod';
import { askAt, debianVersions, exporterService, listOffered, type PlanContext, port, reachedAtPort } from '../../sdk/index.js';

const config = z
  .strictObject({
    port: port(9113).describe('TCP port on which /metrics is served'),
    statusPath: z
      .string()
      .regex(/^\/[A-Za-z0-9._~/-]*$/, { error: 'the path of a URL begins with /' })
      .default('/nginx_status')
      .describe('Path of the status page, the same as in nginx'),
  })
  .meta({ examples: [{ port: 9113 }] });

/** URL of the status of this server's nginx, which shows it only on loopback. */
function nginxAt({ host, peers }: PlanContext): string {
  const own = listOffered(peers, 'http').find(({ server, taskserv }) => server === host.name && taskserv === 'nginx');
  return own ? reachedAtPort(own, host) : '127.0.0.1:80';
}

/** Measures the nginx of its server. */
export const nginxExporter = exporterService({
  name: 'nginx-exporter',
  description: 'Measures the nginx of its server, as metrics for Prometheus.',
  versions: debianVersions({ 12: '0.11', 13: '1.4' }),
  requires: ['nginx'],
  config,
  uses: () => ['http'],
  args: ({ port, statusPath }, context) => [
    `-web.listen-address=${context.listening === 'all' ? '' : askAt(context.listening)}:${port}`,
    `-nginx.scrape-uri=http://${nginxAt(context)}${statusPath}`,
    // Before 1.0 it ends where nginx does not answer, and systemd starts it again a few times only.
    ...(context.version.startsWith('0.') ? ['-nginx.retries=1000000'] : []),
  ],
  measures: () => ({ title: 'nginx-exporter measures nginx', expect: 'nginx_up 1' }),
});
