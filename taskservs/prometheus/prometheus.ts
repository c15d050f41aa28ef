import { askAt, debianVersions, hostPart, packageService, sh } from '../../sdk/index.js';
import { alertRules } from './alert-rules.js';
import { prometheusConfig } from './prometheus-config.js';
import { prometheusYml } from './prometheus-yml.js';

const CONF = '/etc/prometheus/prometheus.yml';
const RULES = '/etc/prometheus/provisioning-rules.yml';

/** Collects metrics of everything in the definition that offers some. */
export const prometheus = packageService({
  name: 'prometheus',
  category: 'observability',
  description: 'Collects metrics of everything in the definition that offers some, and answers queries over them.',
  versions: debianVersions({ 12: '2.42', 13: '2.53' }),
  supports: { os: ['debian'] },
  after: ['node-exporter'],
  config: prometheusConfig,
  endpoints: ({ port }) => [{ name: 'metrics', port, path: '/metrics' }],
  uses: () => ['metrics', 'alerts'],
  listens: 'metrics',
  files: {
    conf: {
      path: CONF,
      content(config, { host, peers, listening }) {
        const around = hostPart(host.privateAddress ?? '127.0.0.1');
        return prometheusYml(config, { server: host.name, self: askAt(listening), around, rules: RULES }, peers);
      },
      reload: true,
    },
    rules: { path: RULES, content: alertRules, reload: true },
    defaults: {
      path: '/etc/default/prometheus',
      content({ port, retention }, { listening }) {
        const address = listening === 'all' ? '' : askAt(listening);
        const args = `--web.listen-address=${address}:${port} --storage.tsdb.retention.time=${retention}s`;
        return `# Written by provisioning; changes by hand are taken back.\nARGS="${args}"\n`;
      },
    },
  },
  check: sh`promtool check config ${CONF}`,
  health: ({ port }, { listening }) => [
    { title: 'prometheus is ready for queries', http: `http://${askAt(listening)}:${port}/-/ready` },
  ],
});
