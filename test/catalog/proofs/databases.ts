import type { Proofs } from '../proof.js';

export const databases: Proofs = {
  mariadb: {
    config: { users: [{ name: 'shop', password: { generate: 'password' } }], databases: [{ name: 'shop_1', owner: 'shop' }] },
    works: `mariadb -NBe "SHOW GRANTS FOR shop" | grep -c 'ALL PRIVILEGES ON .shop.*_1'
mariadb shop_1 -e 'CREATE TABLE IF NOT EXISTS proof (n INT); INSERT INTO proof VALUES (7)'
[ "$(mariadb shop_1 -NBe 'SELECT n FROM proof LIMIT 1')" = 7 ]`,
    changed: {
      config: { databases: [{ name: 'shop_1' }], settings: { max_connections: 77 } },
      works: `[ "$(mariadb -NBe 'SELECT @@max_connections')" = 77 ]; [ "$(mariadb shop_1 -NBe 'SELECT n FROM proof LIMIT 1')" = 7 ]`,
    },
    units: ['mariadb'],
  },
  postgres: {
    config: { databases: [{ name: 'shop' }] },
    works: `cd /; runuser -u postgres -- psql -qd shop -c 'create table if not exists proof (n int); insert into proof values (7)'
[ "$(runuser -u postgres -- psql -qtAd shop -c 'select n from proof limit 1')" = 7 ]`,
    changed: {
      config: { databases: [{ name: 'shop' }], settings: { work_mem: '8MB' } },
      works: `cd /; [ "$(runuser -u postgres -- psql -qtAc 'show work_mem')" = 8MB ]
[ "$(runuser -u postgres -- psql -qtAd shop -c 'select n from proof limit 1')" = 7 ]`,
    },
    units: ['postgresql@15-main'],
  },
  redis: {
    config: {},
    works: 'redis-cli set proof 7 | grep -c OK; [ "$(redis-cli get proof)" = 7 ]',
    changed: {
      config: { maxMemoryPolicy: 'allkeys-lru' },
      works: 'redis-cli config get maxmemory-policy | grep -c allkeys-lru; [ "$(redis-cli get proof)" = 7 ]',
    },
    units: ['redis-server'],
  },
};
