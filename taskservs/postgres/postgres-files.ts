import { isIpv6, type ListenAddress, MANAGED_FILE_HEADER } from '../../sdk/index.js';
import { listenOf, type PostgresConfig } from './postgres-config.js';
import { tlsSettings } from './postgres-tls.js';

/** The content of conf.d/provisioning.conf, which postgresql.conf includes last. */
export function settingsConf(config: PostgresConfig, listening: ListenAddress): string {
  const settings = {
    listen_addresses: listenOf(config, listening).join(','),
    port: config.port,
    password_encryption: 'scram-sha-256',
    ...tlsSettings(config.tls),
    ...config.settings,
  };
  const value = (of: string | number | boolean) =>
    typeof of === 'string' ? `'${of.replaceAll('\\', '\\\\').replaceAll("'", "''")}'` : String(of);
  return `${[MANAGED_FILE_HEADER, ...Object.entries(settings).map(([name, of]) => `${name} = ${value(of)}`)].join('\n')}\n`;
}

/** The content of pg_hba.conf: system users under their own name, this host and `allow` by password, these by TLS where that is required. */
export function hbaConf({ allow, tls }: PostgresConfig): string {
  const own = ['127.0.0.1/32', '::1/128'];
  const networks = [...own, ...allow.map(withPrefix)];
  const type = (network: string) => (tls?.required && !own.includes(network) ? 'hostssl' : 'host');
  return `${[MANAGED_FILE_HEADER, row('local', 'all', 'postgres', '', 'peer'), row('local', 'all', 'all', '', 'peer')]
    .concat([...new Set(networks)].map((network) => row(type(network), 'all', 'all', network, 'scram-sha-256')))
    .join('\n')}\n`;
}

const row = (type: string, database: string, user: string, address: string, method: string) =>
  `${type.padEnd(8)}${database.padEnd(8)}${user.padEnd(12)}${address.padEnd(24)} ${method}`;

/** pg_hba.conf wants a prefix length with every address. */
const withPrefix = (network: string) => (network.includes('/') ? network : `${network}/${isIpv6(network) ? 128 : 32}`);
