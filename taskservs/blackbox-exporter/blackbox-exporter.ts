import * as z from 'zod';
import {
  addressesOf,
  debianVersions,
  duration,
  type Endpoint,
  host,
  hostPart,
  hostPort,
  MANAGED_FILE_HEADER,
  packageService,
  port,
  sh,
  tlsAlone,
  webConfigArgs,
  webConfigFile,
  webHealth,
  webTls,
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
export const blackboxExporter = packageService({
  name: 'blackbox-exporter',
  category: 'observability',
  holds: [],
  description: 'Asks pages, ports and hosts whether they answer, for Prometheus to scrape.',
  versions: debianVersions({ 12: '0.23', 13: '0.26' }),
  supports: { os: ['debian'] },
  config,
  endpoints,
  package: 'prometheus-blackbox-exporter',
  listens: 'metrics',
  files: {
    web: webConfigFile('blackbox-exporter'),
    conf: { path: CONF, content: blackboxYml, reload: true },
    defaults: {
      path: '/etc/default/prometheus-blackbox-exporter',
      content(config, { listening }) {
        const { port } = config;
        const listen = (addressesOf(listening) ?? ['']).map((address) => `--web.listen-address=${hostPart(address)}:${port}`);
        const args = [`--config.file=${CONF}`, ...webConfigArgs('blackbox-exporter', config), ...listen];
        return `${MANAGED_FILE_HEADER}\nARGS="${args.join(' ')}"\n`;
      },
    },
    ping: {
      path: '/etc/systemd/system/prometheus-blackbox-exporter.service.d/provisioning.conf',
      content: ({ icmp }) => (icmp.length > 0 ? PING : undefined),
    },
  },
  check: sh`prometheus-blackbox-exporter --config.check --config.file=${CONF}`,
  tls: { ...webTls(({ port }) => ({ connect: `127.0.0.1:${port}` })), reload: true },
  health(config) {
    const at = `127.0.0.1:${config.port}`;
    const probe = `/probe?module=tcp&target=${at}`;
    return [webHealth('blackbox-exporter sees that it answers itself', at, probe, config, 'probe_success 1')];
  },
});
