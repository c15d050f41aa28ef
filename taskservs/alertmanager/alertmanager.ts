import {
  addressesOf,
  debianVersions,
  hostPart,
  MANAGED_FILE_HEADER,
  packageService,
  sh,
  webConfigArgs,
  webConfigFile,
  webHealth,
  webTls,
} from '../../sdk/index.js';
import { alertmanagerConfig } from './alertmanager-config.js';
import { alertmanagerYml } from './alertmanager-yml.js';

const CONF = '/etc/prometheus/alertmanager.yml';

/** Groups alerts and sends them to people. */
export const alertmanager = packageService({
  name: 'alertmanager',
  category: 'observability',
  holds: ['/var/lib/prometheus/alertmanager'],
  description: 'Groups the alerts of Prometheus, and sends them by mail and webhooks.',
  versions: debianVersions({ 12: '0.25', 13: '0.28' }),
  supports: { os: ['debian'] },
  config: alertmanagerConfig,
  endpoints: ({ port, tls }) => [
    { name: 'alerts', port, path: '/', ...(tls && { tls: true }) },
    { name: 'metrics', port, path: '/metrics', ...(tls && { tls: true }) },
  ],
  package: 'prometheus-alertmanager',
  listens: 'alerts',
  files: {
    web: webConfigFile('alertmanager'),
    conf: { path: CONF, content: alertmanagerYml, mode: '0640', owner: 'root:prometheus', reload: true },
    defaults: {
      path: '/etc/default/prometheus-alertmanager',
      content(config, { listening }) {
        const { port, retention } = config;
        const args = [
          ...(addressesOf(listening) ?? ['']).map((address) => `--web.listen-address=${hostPart(address)}:${port}`),
          ...webConfigArgs('alertmanager', config),
          // It is no cluster, and would listen for others of one on all addresses.
          '--cluster.listen-address=',
          `--data.retention=${retention}s`,
        ];
        return `${MANAGED_FILE_HEADER}\nARGS="${args.join(' ')}"\n`;
      },
    },
  },
  check: sh`amtool check-config ${CONF}`,
  tls: { ...webTls(({ port }) => ({ connect: `127.0.0.1:${port}` })), reload: true },
  health: (config) => [
    webHealth('alertmanager tells which alerts there are', `127.0.0.1:${config.port}`, '/api/v2/alerts', config, '['),
  ],
});
