import {
  addressesOf,
  debianVersions,
  fact,
  type ListenAddress,
  listeningOn,
  MANAGED_FILE_HEADER,
  packageService,
  TLS12_CIPHERS,
  tlsFiles,
} from '../../sdk/index.js';
import { contentSteps } from './content-steps.js';
import { contentsFact, MARIADB } from './contents.js';
import { type MariadbConfig, mariadbConfig } from './mariadb-config.js';

/** The socket, by which this server is reached, counts as encrypted. */
function tlsSettings(tls: MariadbConfig['tls']) {
  if (!tls) return {};
  const { certificate, key } = tlsFiles('mariadb');
  return {
    ssl_cert: certificate,
    ssl_key: key,
    ssl_cipher: TLS12_CIPHERS,
    tls_version: tls.minimum === 'TLSv1.3' ? 'TLSv1.3' : 'TLSv1.2,TLSv1.3',
    require_secure_transport: tls.required,
  };
}

function conf({ port, bufferPool, tls, settings }: MariadbConfig, listening: ListenAddress): string {
  const all = {
    port,
    bind_address: addressesOf(listening)?.join(',') ?? '*',
    innodb_buffer_pool_size: bufferPool,
    character_set_server: 'utf8mb4',
    // Accounts may log in from any address, so host names of clients have no use.
    skip_name_resolve: true,
    ...tlsSettings(tls),
    ...settings,
  };
  const value = (of: string | number | boolean) => (typeof of === 'boolean' ? (of ? 'ON' : 'OFF') : of);
  const lines = Object.entries(all).map(([name, of]) => `${name} = ${value(of)}`);
  return `${MANAGED_FILE_HEADER}\n[mariadbd]\n${lines.join('\n')}\n`;
}

/** Relational database that speaks the protocol of MySQL. */
export const mariadb = packageService({
  name: 'mariadb',
  category: 'databases',
  holds: ['/var/lib/mysql'],
  // It has no identifier: the file with which the data began stands for it.
  identity: fact(
    'stat -c %i-%W /var/lib/mysql/ibdata1 2>/dev/null',
    ({ stdout }) => /^[0-9]+-[0-9]+$/.exec(stdout.trim())?.[0] ?? '',
    '',
  ),
  description: 'Relational database with the MySQL protocol: one server with its accounts and databases.',
  versions: debianVersions({ 12: '10.11', 13: '11.8' }),
  supports: { os: ['debian'] },
  config: mariadbConfig,
  endpoints: ({ port, users }) => [{ name: 'mariadb', port, local: users.length === 0 }],
  package: 'mariadb-server',
  unit: 'mariadb',
  listens: ({ users }, context) => (users.length > 0 ? listeningOn('mariadb', 'mariadb', context) : 'loopback'),
  files: {
    conf: { path: '/etc/mysql/mariadb.conf.d/99-provisioning.cnf', content: (config, { listening }) => conf(config, listening) },
  },
  check: 'runuser -u mysql -- mariadbd --verbose --help >/dev/null',
  tls: {
    of: ({ tls }) => tls,
    group: 'mysql',
    renew: `${MARIADB} -e 'FLUSH SSL'`,
    connect: ({ port }) => ({ connect: `127.0.0.1:${port}`, starttls: 'mysql' }),
  },
  contents: { fact: contentsFact, steps: contentSteps },
  health: () => [{ title: 'mariadb answers a query', command: `${MARIADB} -e "SELECT 'answered'"`, expect: 'answered' }],
});
