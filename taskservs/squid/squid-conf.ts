import {
  addressesOf,
  hostPart,
  type ListenAddress,
  MANAGED_FILE_HEADER,
  type ServiceTls,
  TLS12_CIPHERS,
  tlsFiles,
} from '../../sdk/index.js';

export interface SquidConfig {
  port: number;
  allow: string[];
  domains: string[];
  ports: number[];
  /** Bytes. */
  memoryCache: number;
  /** Bytes. */
  diskCache: number;
  tls?: (ServiceTls & { port: number; required: boolean }) | undefined;
}

/** Listen addresses without TLS and with TLS. */
export interface Listens {
  plain: ListenAddress;
  tls: ListenAddress;
}

export const CONF = '/etc/squid/squid.conf';
export const CACHE = '/etc/squid/provisioning-cache.conf';

/** Addresses with a port, in squid's notation. Only a port means all addresses. */
const at = (listening: ListenAddress, port: number): string[] =>
  addressesOf(listening)?.map((address) => `${hostPart(address)}:${port}`) ?? [String(port)];

/** `tls-min-version` of its own says an option too many, and squid complains of that at each start. */
function tlsOptions({ minimum }: ServiceTls): string {
  const { certificate, key } = tlsFiles('squid');
  const without = ['NO_SSLv3', 'NO_TLSv1', 'NO_TLSv1_1', ...(minimum === 'TLSv1.3' ? ['NO_TLSv1_2'] : [])];
  return `tls-cert=${certificate} tls-key=${key} tls-options=${without.join(',')} cipher=${TLS12_CIPHERS}`;
}

/** Without those that are below another: squid refuses some orders of these. */
const topmost = (domains: string[]): string[] =>
  [...new Set(domains.map((domain) => domain.toLowerCase()))].filter(
    (domain, _, all) => !all.some((other) => domain.endsWith(`.${other}`)),
  );

/** The content of squid.conf. */
export function squidConf({ port, allow, domains, ports, tls }: SquidConfig, listening: Listens): string {
  const listed = topmost(domains);
  return [
    MANAGED_FILE_HEADER,
    ...at(listening.plain, port).map((address) => `http_port ${address}`),
    ...(tls ? at(listening.tls, tls.port).map((address) => `https_port ${address} ${tlsOptions(tls)}`) : []),
    `acl allowed src ${['127.0.0.0/8', '::1', ...allow].join(' ')}`,
    `acl allowed_ports port ${ports.join(' ')}`,
    ...(listed.length > 0 ? [`acl allowed_domains dstdomain ${listed.map((domain) => `.${domain}`).join(' ')}`] : []),
    // Clouds offer their servers confidential metadata at these addresses.
    'acl to_link_local dst 169.254.0.0/16 fe80::/10',
    'http_access allow localhost manager',
    'http_access deny manager',
    'http_access deny !allowed',
    'http_access deny !allowed_ports',
    ...(listed.length > 0 ? ['http_access deny !allowed_domains'] : []),
    // Services that the host offers only to itself would be open to all clients.
    'http_access deny to_localhost',
    'http_access deny to_link_local',
    'http_access allow allowed',
    'http_access deny all',
    // Answers to questions are kept only where they say so themselves.
    String.raw`refresh_pattern -i (/cgi-bin/|\?) 0 0% 0`,
    'refresh_pattern . 0 20% 4320',
    'forwarded_for delete',
    'pinger_enable off',
    // By default a restart waits for clients for half a minute, and takes no requests.
    'shutdown_lifetime 5 seconds',
    // Logs are rotated by logrotate.
    'logfile_rotate 0',
    'coredump_dir /var/spool/squid',
    `include ${CACHE}`,
    '',
  ].join('\n');
}

/** The content of the file that it includes: what takes effect at its start only. */
export function cacheConf({ memoryCache, diskCache }: SquidConfig): string {
  const mebibytes = Math.ceil(diskCache / 2 ** 20);
  const disk = `maximum_object_size 1 GB\ncache_dir ufs /var/spool/squid ${mebibytes} 16 256\n`;
  return `${MANAGED_FILE_HEADER}\ncache_mem ${memoryCache} bytes\n${mebibytes > 0 ? disk : ''}`;
}
