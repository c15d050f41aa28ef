import {
  type HealthContext,
  type ListenAddress,
  listeningOn,
  literalAddressesOf,
  MANAGED_FILE_HEADER,
  managedFileHeader,
  TLS12_CIPHERS,
  tlsFiles,
} from '../../sdk/index.js';
import type { RabbitmqConfig } from './rabbitmq-config.js';
import { DISTRIBUTION_PORT, NODE, PEER_OPTIONS, PEER_TLS, RESOLVER } from './rabbitmq-places.js';

/** Of TLS 1.3: beside ciphers that are named, Erlang has no others. */
const TLS13_CIPHERS = ['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'];

/** Whether others than this server may connect without TLS. */
export const isPlain = ({ users, tls }: RabbitmqConfig): boolean => users.length > 0 && !tls?.required;

export const listenAmqp = (config: RabbitmqConfig, context: HealthContext): ListenAddress =>
  isPlain(config) ? listeningOn('rabbitmq', 'amqp', context) : 'loopback';

export const listenAmqps = ({ users, tls }: RabbitmqConfig, context: HealthContext): ListenAddress =>
  users.length > 0 && tls ? listeningOn('rabbitmq', 'amqps', context) : 'loopback';

export const listenMetrics = (context: HealthContext): ListenAddress => listeningOn('rabbitmq', 'metrics', context);

/** Metrics are served on one address. */
const metricsAddress = (context: HealthContext): string => literalAddressesOf(listenMetrics(context))?.at(-1) ?? '0.0.0.0';

const listeners = (kind: 'tcp' | 'ssl', listening: ListenAddress, port: number): string[] =>
  (literalAddressesOf(listening) ?? ['0.0.0.0']).map((address, index) => `listeners.${kind}.${index + 1} = ${address}:${port}`);

function tlsLines(config: RabbitmqConfig, context: HealthContext): string[] {
  const { tls } = config;
  if (!tls) return [];
  const { certificate, key } = tlsFiles('rabbitmq');
  const versions = tls.minimum === 'TLSv1.3' ? ['tlsv1.3'] : ['tlsv1.3', 'tlsv1.2'];
  const ciphers = [...TLS13_CIPHERS, ...(tls.minimum === 'TLSv1.3' ? [] : TLS12_CIPHERS.split(':'))];
  return [
    ...listeners('ssl', listenAmqps(config, context), tls.port),
    // Of `certfile` it takes the first one, and the chain from the other.
    `ssl_options.cacertfile = ${certificate}`,
    `ssl_options.certfile = ${certificate}`,
    `ssl_options.keyfile = ${key}`,
    'ssl_options.verify = verify_none',
    'ssl_options.fail_if_no_peer_cert = false',
    ...versions.map((version, index) => `ssl_options.versions.${index + 1} = ${version}`),
    ...ciphers.map((cipher, index) => `ssl_options.ciphers.${index + 1} = ${cipher}`),
  ];
}

/** A member that does not reach a majority pauses itself. It finds out within 30 to 40 seconds. */
const CLUSTER_LINES = ['cluster_partition_handling = pause_minority', 'net_ticktime = 30'];

/** The content of rabbitmq.conf. */
export function rabbitmqConf(config: RabbitmqConfig, context: HealthContext): string {
  return [
    MANAGED_FILE_HEADER,
    ...listeners('tcp', listenAmqp(config, context), config.port),
    ...tlsLines(config, context),
    'loopback_users.guest = true',
    `prometheus.tcp.ip = ${metricsAddress(context)}`,
    `prometheus.tcp.port = ${config.metricsPort}`,
    `vm_memory_high_watermark.relative = ${config.memoryShare}`,
    `disk_free_limit.absolute = ${config.minFreeDisk}`,
    ...(config.cluster === undefined ? [] : CLUSTER_LINES),
    '',
  ].join('\n');
}

const ERLANG_ARGS = `-proto_dist inet_tls -ssl_dist_optfile ${PEER_OPTIONS}`;

/** The content of rabbitmq-env.conf. A shell reads it. */
export function rabbitmqEnv({ cluster }: RabbitmqConfig): string {
  // With another name, for example after the host is renamed, it would be another node without the data.
  if (cluster === undefined)
    return `${MANAGED_FILE_HEADER}
NODENAME=rabbit@localhost
DIST_PORT=${DISTRIBUTION_PORT}
SERVER_ADDITIONAL_ERL_ARGS="-kernel inet_dist_use_interface {127,0,0,1}"
`;
  // Without its name it must not begin as another node.
  return `${MANAGED_FILE_HEADER}
NODENAME=$(cat ${NODE}) || exit 1
DIST_PORT=${DISTRIBUTION_PORT}
SERVER_ADDITIONAL_ERL_ARGS="${ERLANG_ARGS}"
CTL_ERL_ARGS="${ERLANG_ARGS}"
export ERL_INETRC=${RESOLVER}
`;
}

/** How Erlang resolves names. An image may give the host's own name no address, or another one. */
export const resolver = (server: string): string => `${managedFileHeader('%')}
{lookup, [file, native]}.
{host, {127,0,0,1}, ["${server}"]}.
`;

/** TLS between members: each one proves that it is the server of its name. */
export function peerOptions(): string {
  const files = `{cacertfile, "${PEER_TLS.authority}"}, {certfile, "${PEER_TLS.certificate}"}, {keyfile, "${PEER_TLS.key}"}`;
  const both = `${files}, {verify, verify_peer}, {versions, ['tlsv1.3', 'tlsv1.2']}`;
  return `${managedFileHeader('%')}
[{server, [${both}, {fail_if_no_peer_cert, true}]},
 {client, [${both}]}].
`;
}

/** A member hands over its queues before it ends, and waits for the others after its start without a limit of systemd. */
export const MEMBER_DROP_IN = `${MANAGED_FILE_HEADER}
[Service]
Type=exec
ExecStop=
ExecStop=-/usr/bin/timeout 60 /usr/sbin/rabbitmq-upgrade drain
ExecStop=/usr/sbin/rabbitmqctl stop
TimeoutStopSec=180
`;
