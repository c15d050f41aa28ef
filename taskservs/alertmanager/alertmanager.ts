import { addressesOf, debianVersions, hostPart, packageService, sh } from '../../sdk/index.js';
import { alertmanagerConfig } from './alertmanager-config.js';
import { alertmanagerYml } from './alertmanager-yml.js';

const CONF = '/etc/prometheus/alertmanager.yml';

/** Groups alerts and sends them to people. */
export const alertmanager = packageService({
  name: 'alertmanager',
  category: 'observability',
  description: 'Groups the alerts that Prometheus raises, and sends them to people by mail and webhooks.',
  versions: debianVersions({ 12: '0.25', 13: '0.28' }),
  supports: { os: ['debian'] },
  config: alertmanagerConfig,
  endpoints: ({ port }) => [
    { name: 'alerts', port, path: '/' },
    { name: 'metrics', port, path: '/metrics' },
  ],
  package: 'prometheus-alertmanager',
  listens: 'alerts',
  files: {
    conf: { path: CONF, content: alertmanagerYml, mode: '0640', owner: 'root:prometheus', reload: true },
    defaults: {
      path: '/etc/default/prometheus-alertmanager',
      content({ port, retention }, { listening }) {
        const args = [
          ...(addressesOf(listening) ?? ['']).map((address) => `--web.listen-address=${hostPart(address)}:${port}`),
          // It is no cluster, and would listen for others of one on all addresses.
          '--cluster.listen-address=',
          `--data.retention=${retention}s`,
        ];
        return `# Written by provisioning; changes by hand are taken back.\nARGS="${args.join(' ')}"\n`;
      },
    },
  },
  check: sh`amtool check-config ${CONF}`,
  health: ({ port }) => [
    { title: 'alertmanager tells which alerts there are', http: `http://127.0.0.1:${port}/api/v2/alerts`, expect: '[' },
  ],
});
