/** All data, and the state of the member in its cluster. Belongs to the user of MariaDB. */
export const DATA = '/var/lib/mysql';

/** As root, who needs no password; nothing that a user's files say about clients applies. */
export const MARIADB = 'mariadb --no-defaults --skip-ssl -S /run/mysqld/mysqld.sock -NB';

/** Runs before each start of a member. */
export const START = '/etc/mysql/provisioning-start';

/** What is true until the next start. Belongs to root. */
export const RUN = '/run/provisioning-mariadb';

/** Files of TLS between members, by the fields of `peerTls`. */
export const PEER_TLS = {
  certificate: '/etc/mysql/peer-certificate.pem',
  key: '/etc/mysql/peer-key.pem',
  authority: '/etc/mysql/peer-authority.pem',
} as const;
