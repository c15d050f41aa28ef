import {
  type HealthContext,
  type ListenAddress,
  listeningOn,
  literalAddressesOf,
  MANAGED_FILE_HEADER,
  TLS12_CIPHERS,
  tlsFiles,
} from '../../sdk/index.js';
import type { RabbitmqConfig } from './rabbitmq-config.js';

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
    '',
  ].join('\n');
}
