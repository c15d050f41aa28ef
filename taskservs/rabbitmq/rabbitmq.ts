import {
  askAt,
  debianVersions,
  ensureService,
  literalAddressesOf,
  MANAGED_FILE_HEADER,
  managedFileHeader,
  packageService,
  systemd,
} from '../../sdk/index.js';
import { greets, passesMessage, passwordOf } from './amqp.js';
import { contentSteps, contentsFact } from './contents.js';
import { isPlain, listenAmqp, listenAmqps, listenMetrics, rabbitmqConf } from './rabbitmq-conf.js';
import { rabbitmqConfig } from './rabbitmq-config.js';

const EPMD = 'epmd.socket';

/** By which nodes and tools of this host talk to each other. */
const DISTRIBUTION_PORT = 25672;

const service = packageService({
  name: 'rabbitmq',
  category: 'messaging',
  holds: ['/var/lib/rabbitmq'],
  description: 'AMQP message broker: one server with its accounts and vhosts.',
  versions: debianVersions({ 12: '3.10', 13: '4.0' }),
  supports: { os: ['debian'] },
  config: rabbitmqConfig,
  endpoints: (config) => [
    { name: 'amqp', port: config.port, local: !isPlain(config) },
    ...(config.tls ? [{ name: 'amqps', port: config.tls.port, tls: true, local: config.users.length === 0 }] : []),
    { name: 'metrics', port: config.metricsPort, path: '/metrics' },
    { name: 'rabbitmq-distribution', port: DISTRIBUTION_PORT, local: true },
    { name: 'epmd', port: 4369, local: true },
  ],
  package: 'rabbitmq-server',
  // One of them may have to wait for the private address.
  listens: (config, context) =>
    [listenAmqp(config, context), listenAmqps(config, context), listenMetrics(context)].find((one) => typeof one === 'object') ??
    'loopback',
  files: {
    conf: { path: '/etc/rabbitmq/rabbitmq.conf', content: rabbitmqConf },
    env: {
      path: '/etc/rabbitmq/rabbitmq-env.conf',
      // With another name, for example after the host is renamed, it would be another node without the data.
      content: () => `${MANAGED_FILE_HEADER}
NODENAME=rabbit@localhost
DIST_PORT=${DISTRIBUTION_PORT}
SERVER_ADDITIONAL_ERL_ARGS="-kernel inet_dist_use_interface {127,0,0,1}"
`,
    },
    plugins: { path: '/etc/rabbitmq/enabled_plugins', content: () => `${managedFileHeader('%')}\n[rabbitmq_prometheus].\n` },
    // epmd tells where nodes listen; as Debian has it, all addresses may ask.
    epmdDropIn: {
      path: `/etc/systemd/system/${EPMD}.d/provisioning.conf`,
      content: () => `${MANAGED_FILE_HEADER}\n[Socket]\nListenStream=\nListenStream=127.0.0.1:4369\n`,
    },
  },
  tls: {
    of: ({ tls }) => tls,
    group: 'rabbitmq',
    // Else it looks again within two minutes.
    renew: "rabbitmqctl -q eval 'ssl:clear_pem_cache().'",
    connect: ({ tls }) => ({ connect: `127.0.0.1:${tls?.port}` }),
  },
  contents: { fact: contentsFact, steps: contentSteps },
  health(config, context) {
    const { port, metricsPort, users, vhosts } = config;
    const [first] = vhosts.flatMap(({ name, users: [user] }) => (user ? [{ vhost: name, user }] : []));
    const account = users.find(({ name }) => name === first?.user);
    return [
      first && account
        ? {
            title: `rabbitmq passes a message on, in the vhost ${first.vhost}`,
            command: passesMessage('127.0.0.1', port, first.vhost, first.user),
            expect: 'received',
            env: passwordOf(account.password),
          }
        : { title: 'rabbitmq answers', command: greets('127.0.0.1', port), expect: 'capabilities' },
      {
        title: 'rabbitmq serves metrics',
        http: `http://${askAt(literalAddressesOf(listenMetrics(context)) ? listenMetrics(context) : 'all')}:${metricsPort}/metrics`,
        expect: 'rabbitmq_identity_info',
      },
    ];
  },
});

/** Passes messages between programs. */
export const rabbitmq: typeof service = {
  ...service,
  facts: (config) => ({ ...service.facts(config), epmd: systemd(EPMD) }),
  // The package of epmd stays, and would open it to all addresses at the next boot.
  remove: (config, found) => [
    ...service.remove(config, found),
    ...ensureService(found.epmd as Parameters<typeof ensureService>[0], { state: 'stopped', enabled: false }),
  ],
};
