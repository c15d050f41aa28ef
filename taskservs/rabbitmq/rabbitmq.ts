import {
  askAt,
  debian,
  debianVersions,
  defineTaskserv,
  ensurePackage,
  ensureService,
  type Facts,
  type FoundFile,
  type FoundPackage,
  fact,
  inputError,
  literalAddressesOf,
  MANAGED_FILE_HEADER,
  managedFileHeader,
  packageService,
  type ServiceFile,
  type Step,
  systemd,
} from '../../sdk/index.js';
import { greets, passesMessage, passwordOf } from './amqp.js';
import { contentSteps, contentsFact, type FoundContents } from './contents.js';
import { cookieFact } from './rabbitmq-ask.js';
import {
  isPlain,
  listenAmqp,
  listenAmqps,
  listenMetrics,
  MEMBER_DROP_IN,
  peerOptions,
  rabbitmqConf,
  rabbitmqEnv,
  resolver,
} from './rabbitmq-conf.js';
import { type RabbitmqConfig, rabbitmqConfig } from './rabbitmq-config.js';
import { planMember, rabbitmqGroup } from './rabbitmq-group.js';
import { CLUSTER, DATA, DISTRIBUTION_PORT, EPMD_PORT, PEER_OPTIONS, PEER_TLS, RESOLVER } from './rabbitmq-places.js';
import { cookieStep } from './rabbitmq-steps.js';

const EPMD = 'epmd.socket';

const isMember = ({ cluster }: RabbitmqConfig): boolean => cluster !== undefined;

const ofPeers = (field: keyof typeof PEER_TLS): ServiceFile<RabbitmqConfig> => ({
  path: PEER_TLS[field],
  content: ({ peerTls }) => (peerTls ? [peerTls[field], '\n'] : undefined),
  mode: '0640',
  owner: 'root:rabbitmq',
  isRead: isMember,
});

const service = packageService<RabbitmqConfig>({
  name: 'rabbitmq',
  category: 'messaging',
  holds: ['/var/lib/rabbitmq'],
  description: 'AMQP message broker with its accounts and vhosts: one server, or several that form a cluster.',
  versions: debianVersions({ 12: '3.10', 13: '4.0' }),
  supports: { os: ['debian'] },
  config: rabbitmqConfig,
  endpoints: (config) => [
    { name: 'amqp', port: config.port, local: !isPlain(config) },
    ...(config.tls ? [{ name: 'amqps', port: config.tls.port, tls: true, local: config.users.length === 0 }] : []),
    { name: 'metrics', port: config.metricsPort, path: '/metrics' },
    { name: 'rabbitmq-distribution', port: DISTRIBUTION_PORT, local: !isMember(config) },
    { name: 'epmd', port: EPMD_PORT, local: !isMember(config) },
  ],
  package: 'rabbitmq-server',
  // One of them may have to wait for the private address.
  listens: (config, context) =>
    [listenAmqp(config, context), listenAmqps(config, context), listenMetrics(context)].find((one) => typeof one === 'object') ??
    'loopback',
  files: {
    conf: { path: '/etc/rabbitmq/rabbitmq.conf', content: rabbitmqConf },
    env: { path: '/etc/rabbitmq/rabbitmq-env.conf', content: rabbitmqEnv },
    plugins: { path: '/etc/rabbitmq/enabled_plugins', content: () => `${managedFileHeader('%')}\n[rabbitmq_prometheus].\n` },
    // epmd tells where nodes listen; as Debian has it, all addresses may ask.
    epmdDropIn: {
      path: `/etc/systemd/system/${EPMD}.d/provisioning.conf`,
      content: (config) =>
        isMember(config) ? undefined : `${MANAGED_FILE_HEADER}\n[Socket]\nListenStream=\nListenStream=127.0.0.1:4369\n`,
      isRead: (config) => !isMember(config),
    },
    peerCertificate: ofPeers('certificate'),
    peerKey: ofPeers('key'),
    peerAuthority: ofPeers('authority'),
    peerOptions: {
      path: PEER_OPTIONS,
      content: (config) => (isMember(config) ? peerOptions() : undefined),
      isRead: isMember,
    },
    resolver: {
      path: RESOLVER,
      content: (config, { host }) => (isMember(config) ? resolver(host.name) : undefined),
      isRead: isMember,
    },
    memberDropIn: {
      path: '/etc/systemd/system/rabbitmq-server.service.d/provisioning.conf',
      content: (config) => (isMember(config) ? MEMBER_DROP_IN : undefined),
      isRead: isMember,
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
      ...(config.cluster === undefined
        ? []
        : [
            {
              title: `it is a member of the cluster ${config.cluster}`,
              command: `cd / && runuser -u rabbitmq -- test -s ${CLUSTER} && echo member`,
              expect: 'member',
            },
          ]),
    ];
  },
});

/** Whose data a host has, beside that which is wanted. */
const otherData = ({ cluster }: RabbitmqConfig) =>
  fact(
    cluster === undefined
      ? `getent passwd rabbitmq >/dev/null || exit 0; if (cd / && runuser -u rabbitmq -- test -e ${CLUSTER}); then echo other; fi`
      : `if [ -d ${DATA}/rabbit@localhost ]; then echo other; fi`,
    ({ stdout }) => stdout.trim() === 'other',
    false,
  );

/** RabbitMQ cannot give the data of a node to a node of another name. */
function refuseOtherData({ cluster }: RabbitmqConfig, server: string): void {
  if (cluster === undefined)
    throw inputError({
      ...{ code: 'groups-differ', what: 'plan rabbitmq without a cluster', on: server },
      why: `it has data of a cluster: ${CLUSTER} is there`,
      hint: 'set "cluster" again, or remove rabbitmq from this server first, then move /var/lib/rabbitmq/{mnesia,provisioning} away',
    });
  throw inputError({
    ...{ code: 'groups-differ', what: `plan rabbitmq of the cluster ${cluster}`, on: server },
    why: `it has data of a single server in ${DATA}/rabbit@localhost, which no member of a cluster can take over`,
    hint: 'consume its messages, then stop rabbitmq-server and move this folder away; accounts and vhosts are created again',
  });
}

/** Until then it listens on loopback only. */
const openEpmd: Step = {
  title: 'Let epmd listen for the other members',
  run: 'systemctl daemon-reload\nsystemctl restart epmd.socket',
  undo: ':',
};

/** Passes messages between programs. */
export const rabbitmq = defineTaskserv<RabbitmqConfig, Facts>({
  ...service,
  group: rabbitmqGroup,
  // Members reach each other.
  uses: (config) => (isMember(config) ? ['epmd', 'rabbitmq-distribution'] : []),
  facts: (config, version) => ({
    ...service.facts(config, version),
    epmd: systemd(EPMD),
    otherData: otherData(config),
    // A member administers its cluster by a program in Python.
    ...(isMember(config) && { python3: debian('python3'), cookie: cookieFact(config.cookie) }),
  }),
  plan(config, found, context) {
    if (found.otherData) refuseOtherData(config, context.host.name);
    const all = service.plan(config, found, context);
    if (config.cluster === undefined || !config.cookie) return all;
    const contents = contentSteps(config, found.contents as FoundContents);
    const steps = all.slice(0, all.length - contents.length);
    const index = steps.findIndex((step) => 'service' in step);
    const start = index < 0 ? steps.length : index;
    const prepared = [
      ...ensurePackage(found.python3 as FoundPackage),
      ...steps.slice(0, start),
      ...((found.epmdDropIn as FoundFile).exists ? [openEpmd] : []),
      ...(found.cookie ? [] : [cookieStep(config.cluster, config.cookie)]),
      ...steps.slice(start),
    ];
    // Others take messages in the meantime, whatever they are.
    return planMember(config, context, {
      ...{ steps: prepared, setsCookie: !found.cookie },
      contents: contents.map((step) => ({ ...step, keepsServing: true })),
    });
  },
  // The package of epmd stays, and would open it to all addresses at the next boot.
  remove: (config, found) => [
    ...service.remove(config, found),
    ...ensureService(found.epmd as Parameters<typeof ensureService>[0], { state: 'stopped', enabled: false }),
  ],
});
