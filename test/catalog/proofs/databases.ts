import type { Proofs } from '../proof.js';

/** What leads to the postgres of its own host. */
const pooled = () => ({
  databases: [{ name: 'shop', server: '127.0.0.1' }],
  users: [{ name: 'shop', password: { generate: 'password', name: 'shop-db' } }],
});
const POOLED = `password=$(sed -n 's/^"shop" "\\(.*\\)"$/\\1/p' /etc/pgbouncer/userlist.txt)
as() { PGPASSWORD=\${PGPASSWORD-$password} psql -qtAX -h a -p "$2" -U "$1" -d shop -c "$3"; }`;

export const databases: Proofs = {
  influxdb: {
    config: {
      admin: { name: 'admin', password: { generate: 'password' } },
      users: [{ name: 'shop', password: { generate: 'password' } }],
      databases: [{ name: 'shop', owner: 'shop', retention: '30 d' }, { name: 'other' }],
    },
    works: `password=$(grep '^SET PASSWORD FOR "shop"' /etc/influxdb/provisioning.influxql | cut -d"'" -f2)
as() { curl -sS -u "$1" "http://$(hostname):8086/$2" "\${@:3}"; }
as "shop:$password" 'write?db=shop' --data-binary 'temp,room=hall value=21.5'
as "shop:$password" 'query?db=shop' --data-urlencode 'q=SELECT value FROM temp' | grep -c '21.5'
as "shop:$password" 'query?db=other' --data-urlencode 'q=SELECT value FROM temp' | grep -c 'not authorized'
as shop:x 'query?db=shop' --data-urlencode 'q=SELECT value FROM temp' | grep -c 'authorization failed'`,
    changed: {
      config: { databases: [{ name: 'shop', retention: '7 d' }] },
      works: `ask() { curl -sS http://127.0.0.1:8086/query --data-urlencode "q=$1"; }
ask 'SHOW RETENTION POLICIES ON shop' | grep -c '"autogen","168h0m0s"'
ask 'SELECT value FROM shop.autogen.temp' | grep -c '21.5'`,
    },
    units: ['influxdb'],
  },
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
  memcached: {
    config: { users: [{ name: 'shop', password: { generate: 'password' } }] },
    works: `login="shop $(sed -n 's/^shop://p' /etc/memcached.users)"
ask() { exec 3<>/dev/tcp/$(hostname)/11211; printf '%s\\r\\n' "$@" >&3; timeout 1 cat <&3 || true; }
ask 'get proof' | grep -c '^CLIENT_ERROR unauthenticated'
ask 'set login 0 0 6' 'shop x' | grep -c '^CLIENT_ERROR authentication failure'
ask "set login 0 0 \${#login}" "$login" 'set proof 0 0 5' hello 'get proof' | grep -c ^hello`,
    changed: {
      config: { memory: '16 MiB' },
      works: `exec 3<>/dev/tcp/127.0.0.1/11211
printf 'set proof 0 0 5\\r\\nhello\\r\\nget proof\\r\\nstats\\r\\nquit\\r\\n' >&3
answer=$(timeout 5 cat <&3); grep -c ^hello <<<"$answer"; grep -c 'STAT limit_maxbytes 16777216' <<<"$answer"`,
    },
    units: ['memcached'],
  },
  pgbouncer: {
    with: [
      {
        name: 'postgres',
        config: {
          users: [{ name: 'shop', password: { generate: 'password', name: 'shop-db' } }],
          databases: [{ name: 'shop', owner: 'shop' }],
        },
      },
    ],
    config: pooled(),
    works: `${POOLED}
as shop 6432 'create table if not exists proof (n int); insert into proof values (7)'
[ "$(as shop 6432 'select n from proof limit 1')" = 7 ]
if PGPASSWORD=x as shop 6432 'select 1' 2>/tmp/why; then exit 1; fi; grep -E 'authentication failed|SASL' /tmp/why`,
    changed: {
      config: { ...pooled(), port: 6433, mode: 'transaction', poolSize: 1 },
      works: `${POOLED}
for _ in 1 2 3 4; do as shop 6433 'select pg_backend_pid()' & done | sort -u | wc -l | grep -x 1; wait
[ "$(as shop 6433 'select n from proof limit 1')" = 7 ]`,
    },
    units: ['pgbouncer'],
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
