import { type GroupService, makeCertificates } from './group-service.js';

const AS_ROOT = 'timeout 20 mariadb --no-defaults --skip-ssl -S /run/mysqld/mysqld.sock -NB';

/** A member reads only after it has applied all writes that were acknowledged by then. */
const SYNCED = 'SET SESSION wsrep_sync_wait = 1;';

const TABLE = 'CREATE DATABASE IF NOT EXISTS shop; CREATE TABLE IF NOT EXISTS shop.t (k VARCHAR(20) PRIMARY KEY, v VARCHAR(40));';

export const mariadb: GroupService = {
  name: 'mariadb',
  unit: 'mariadb',
  config: {
    ...{ cluster: 'main', bufferPool: '32 MiB', users: [{ name: 'shop', password: { secret: 'shop' } }] },
    peerTls: makeCertificates('mariadb-peers', ['a', 'b', 'c']),
  },
  secrets: { shop: 'shop-password' },
  change: { settings: { max_connections: 77 } },
  changed: { shown: `${AS_ROOT} -e 'SELECT @@max_connections'`, is: '77' },
  write: (key, value) => `${AS_ROOT} -e "${SYNCED} ${key === 'k0' ? TABLE : ''} INSERT INTO shop.t VALUES ('${key}', '${value}')"`,
  read: (keys) =>
    `${AS_ROOT} -e "${SYNCED} SELECT CONCAT(k, '=', v) FROM shop.t WHERE k IN (${keys.map((key) => `'${key}'`).join(', ')}) ORDER BY CAST(SUBSTRING(k, 2) AS INT)"`,
};
