import * as z from 'zod';
import {
  debianVersions,
  duration,
  type Endpoint,
  exporterService,
  host,
  hostPort,
  MANAGED_FILE_HEADER,
  port,
  sh,
  tlsAlone,
} from '../../sdk/index.js';

const CONF = '/etc/prometheus/blackbox.yml';
const MODULES = ['http', 'tcp', 'icmp'] as const;

const config = z
  .strictObject({
    port: port(9115).describe('TCP port on which /metrics and /probe are served'),
    tls: tlsAlone().optional().describe('TLS for all requests'),
    http: z
      .array(z.url({ protocol: /^https?$/, error: 'write a URL with http or https' }))
      .default([])
      .describe('Pages that must answer with 2xx'),
    tcp: z
      .array(hostPort('write "host:port"'))
      .default([])
      .describe('Endpoints that must accept a connection, each as `host:port`'),
    icmp: z.array(host()).default([]).describe('Hosts that must answer a ping'),
    timeout: duration('5 s').describe('Time limit of an answer'),
  })
  .meta({ examples: [{ http: ['https://example.org/'], tcp: ['mail.example.org:25'] }] });

type Config = z.output<typeof config>;

function blackboxYml({ timeout }: Config): string {
  const modules = MODULES.flatMap((name) => [
    `  ${name}:`,
    `    prober: ${name}`,
    `    timeout: ${timeout}s`,
    // By IPv6 where there is nothing else.
    `    ${name}: { preferred_ip_protocol: ip4 }`,
  ]);
  return [MANAGED_FILE_HEADER, 'modules:', ...modules, ''].join('\n');
}

/** Its own metrics, and those of each that it asks: it does so when it is asked for them. */
function endpoints(config: Config): Endpoint[] {
  const probes = MODULES.flatMap((name) =>
    config[name].map((target) => `/probe?module=${name}&target=${encodeURIComponent(target)}`),
  );
  return ['/metrics', ...probes].map((path) => ({
    ...{ name: 'metrics', port: config.port, path },
    ...(config.tls && { tls: true }),
  }));
}

const PING = `${MANAGED_FILE_HEADER}
[Service]
AmbientCapabilities=CAP_NET_RAW
`;

/** Asks pages and hosts from outside whether they answer. */
export const blackboxExporter = exporterService({
  name: 'blackbox-exporter',
  description: 'Checks whether pages, ports and hosts answer, as metrics for Prometheus.',
  versions: debianVersions({ 12: '0.23', 13: '0.26' }),
  config,
  endpoints,
  speaksTls: 'reloads',
  files: { conf: { path: CONF, content: blackboxYml, reload: true } },
  args: (_, { web }) => [`--config.file=${CONF}`, ...web.tls, ...web.listen],
  dropIns: {
    ping: {
      path: '/etc/systemd/system/prometheus-blackbox-exporter.service.d/provisioning.conf',
      content: ({ icmp }) => (icmp.length > 0 ? PING : undefined),
    },
  },
  check: sh`prometheus-blackbox-exporter --config.check --config.file=${CONF}`,
  measures: ({ port }) => ({
    title: 'blackbox-exporter sees that it answers itself',
    page: `/probe?module=tcp&target=127.0.0.1:${port}`,
    expect: 'probe_success 1',
  }),
});
