import {
  askAt,
  debianVersions,
  MANAGED_FILE_HEADER,
  packageService,
  sh,
  text,
  webConfigArgs,
  webConfigFile,
  webHealth,
  webTls,
} from '../../sdk/index.js';
import { alertRules } from './alert-rules.js';
import { prometheusConfig } from './prometheus-config.js';
import { AUTHORITY } from './prometheus-tls.js';
import { prometheusYml } from './prometheus-yml.js';

const CONF = '/etc/prometheus/prometheus.yml';
const RULES = '/etc/prometheus/provisioning-rules.yml';

/** Collects metrics of everything in the definition that offers some. */
export const prometheus = packageService({
  name: 'prometheus',
  category: 'observability',
  holds: ['/var/lib/prometheus/metrics2'],
  description: 'Collects metrics from all services of the definition that offer them, and answers queries.',
  versions: debianVersions({ 12: '2.42', 13: '2.53' }),
  supports: { os: ['debian'] },
  after: ['node-exporter'],
  config: prometheusConfig,
  endpoints: ({ port, tls }) => [{ name: 'metrics', port, path: '/metrics', ...(tls && { tls: true }) }],
  uses: () => ['metrics', 'alerts'],
  listens: 'metrics',
  files: {
    web: webConfigFile('prometheus'),
    authority: {
      path: AUTHORITY,
      isRead: ({ authority }) => authority !== undefined,
      content: ({ authority }) => authority && text`${authority}\n`,
      mode: '0640',
      owner: 'root:prometheus',
      reload: true,
    },
    conf: {
      path: CONF,
      content: (config, { host, peers, listening }) => prometheusYml(config, { host, self: askAt(listening), rules: RULES }, peers),
      reload: true,
    },
    rules: { path: RULES, content: alertRules, reload: true },
    defaults: {
      path: '/etc/default/prometheus',
      content(config, { listening }) {
        const { port, retention } = config;
        const address = listening === 'all' ? '' : askAt(listening);
        const web = webConfigArgs('prometheus', config).map((arg) => ` ${arg}`);
        const args = `--web.listen-address=${address}:${port} --storage.tsdb.retention.time=${retention}s${web.join('')}`;
        return `${MANAGED_FILE_HEADER}\nARGS="${args}"\n`;
      },
    },
  },
  check: sh`promtool check config ${CONF}`,
  tls: { ...webTls(({ port }, { listening }) => ({ connect: `${askAt(listening)}:${port}` })), reload: true },
  health: (config, { listening }) => [
    webHealth('prometheus is ready for queries', `${askAt(listening)}:${config.port}`, '/-/ready', config),
  ],
});
