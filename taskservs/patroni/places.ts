import { type ServiceTls, TLS12_CIPHERS, type TlsService, tlsFiles } from '../../sdk/index.js';

export const CONF = '/etc/patroni/config.yml';
export const UNIT = 'patroni';

/** Configuration of pgbackrest. Another one of the server stays as it is. */
export const BACKUP_CONF = '/etc/patroni/pgbackrest.conf';

/** Brings a member to another major version, and back. It stays for a later roll-back. */
export const UPGRADE_PROGRAM = '/usr/local/sbin/provisioning-patroni-upgrade';

/** Keeps Debian from making a cluster `main`, which Patroni would not know. */
export const NO_MAIN = '/etc/postgresql-common/createcluster.d/provisioning.conf';

/** Files of TLS for etcd, by the fields of `etcdTls`. */
export const ETCD_TLS = {
  certificate: '/etc/patroni/provisioning-etcd-certificate.pem',
  key: '/etc/patroni/provisioning-etcd-key.pem',
  authority: '/etc/patroni/provisioning-etcd-authority.pem',
} as const;

/** Files of TLS for Patroni's REST API, by the fields of `apiTls`. */
export const API_TLS = {
  certificate: '/etc/patroni/provisioning-api-certificate.pem',
  key: '/etc/patroni/provisioning-api-key.pem',
  authority: '/etc/patroni/provisioning-api-authority.pem',
} as const;

export const locatePrograms = (version: string): string => `/usr/lib/postgresql/${version}/bin`;
export const locateData = (version: string): string => `/var/lib/postgresql/${version}/patroni`;

/** Runs a program as postgres. `runuser` would open a session by PAM for it, which takes longer than the program. */
export const SETPRIV_POSTGRES = 'setpriv --reuid postgres --regid postgres --clear-groups --';

/** How PostgreSQL has its certificate: a reload of Patroni takes in another one. */
export const TLS: TlsService = { name: 'patroni', unit: UNIT, group: 'postgres' };

/** The parameters of PostgreSQL that follow from `tls`. */
export function tlsParameters(tls: ServiceTls | undefined): Record<string, string | boolean> {
  if (!tls) return {};
  const { certificate, key } = tlsFiles(TLS.name);
  return {
    ssl: true,
    ssl_cert_file: certificate,
    ssl_key_file: key,
    ssl_min_protocol_version: tls.minimum,
    ssl_ciphers: TLS12_CIPHERS,
    ssl_prefer_server_ciphers: false,
  };
}
