import type { Proofs } from '../proof.js';
import { clientFiles, TLS_CLIENT, tlsFrom } from '../tls.js';

const anywhere = ['172.16.0.0/12', '10.0.0.0/8', '192.168.0.0/16'];
const shop = { name: 'shop', password: { generate: 'password', name: 'shop-db' } };

/** Configuration of a pool for the postgres on the same host. */
const pooled = () => ({
  databases: [{ name: 'shop', server: '127.0.0.1' }],
  users: [{ name: 'shop', password: { generate: 'password', name: 'shop-db' } }],
});
const POOLED = `password=$(sed -n 's/^"shop" "\\(.*\\)"$/\\1/p' /etc/pgbouncer/userlist.txt)
as() { PGPASSWORD=\${PGPASSWORD-$password} psql -qtAX -h a -p "$2" -U "$1" -d shop -c "$3"; }`;

/** `ask AUTHORITY LINES…` of memcached by TLS, as a client that knows an authority; the lines `login` log in. */
const MEMCACHED_CLIENT = `${TLS_CLIENT}
password="$(cat /root/password)"; login=("set login 0 0 $((5 + \${#password}))" "shop $password")
ask() {
  printf '%s\\r\\n' "\${@:2}" quit |
    timeout 10 openssl s_client -connect "$(hostname):11212" -CAfile "/root/$1.pem" -verify_hostname a -verify_return_error -quiet 2>/dev/null || true
}`;

/** A member of patroni that is alone, with its etcd on the same host. */
const ofPatroni = () => ({
  passwords: Object.fromEntries(['superuser', 'replication', 'api'].map((name) => [name, { generate: 'password', name }])),
  users: [shop],
  databases: [{ name: 'shop', owner: 'shop' }],
});

export const databases: Proofs = {
  influxdb: {
    with: [clientFiles()],
    config: {
      admin: { name: 'admin', password: { generate: 'password' } },
      users: [{ name: 'shop', password: { generate: 'password' } }],
      databases: [{ name: 'shop', owner: 'shop', retention: '30 d' }, { name: 'other' }],
      tls: tlsFrom(),
    },
    works: `${TLS_CLIENT}
private influxdb influxdb
tls_holds 8086
password=$(grep '^SET PASSWORD FOR "shop"' /etc/influxdb/provisioning.influxql | cut -d"'" -f2)
as() { curl -sS --cacert "/root/\${CA:-ca}.pem" -u "$1" "https://a:8086/$2" "\${@:3}"; }
as "shop:$password" 'write?db=shop' --data-binary 'temp,room=hall value=21.5'
as "shop:$password" 'query?db=shop' --data-urlencode 'q=SELECT value FROM temp' | grep -c '21.5'
as "shop:$password" 'query?db=other' --data-urlencode 'q=SELECT value FROM temp' | grep -c 'not authorized'
as shop:x 'query?db=shop' --data-urlencode 'q=SELECT value FROM temp' | grep -c 'authorization failed'
CA=other refused as "shop:$password" ping
refused curl -sSf http://a:8086/ping`,
    changed: {
      config: { databases: [{ name: 'shop', retention: '7 d' }] },
      works: `[ ! -e /etc/tls/influxdb/key.pem ]
ask() { curl -sS http://127.0.0.1:8086/query --data-urlencode "q=$1"; }
ask 'SHOW RETENTION POLICIES ON shop' | grep -c '"autogen","168h0m0s"'
ask 'SELECT value FROM shop.autogen.temp' | grep -c '21.5'`,
    },
    units: ['influxdb'],
    gone: '[ ! -e /etc/tls/influxdb/key.pem ]',
  },
  mariadb: {
    with: [clientFiles(shop.password)],
    config: { users: [shop], databases: [{ name: 'shop_1', owner: 'shop' }], tls: tlsFrom() },
    works: `${TLS_CLIENT}
private mariadb mysql
tls_holds 3306 -starttls mysql
export MYSQL_PWD="$(cat /root/password)"
as() { mariadb --no-defaults -NB -h a -u shop "$@" -e "SHOW STATUS LIKE 'Ssl_cipher'"; }
as --ssl-ca=/root/ca.pem --ssl-verify-server-cert | grep -E '(TLS|ECDHE).*GCM'
refused as --ssl-ca=/root/other.pem --ssl-verify-server-cert
refused as --skip-ssl
mariadb --skip-ssl -NBe "SHOW GRANTS FOR shop" | grep -c 'ALL PRIVILEGES ON .shop.*_1'
mariadb --skip-ssl shop_1 -e 'CREATE TABLE IF NOT EXISTS proof (n INT); INSERT INTO proof VALUES (7)'
[ "$(mariadb --skip-ssl shop_1 -NBe 'SELECT n FROM proof LIMIT 1')" = 7 ]`,
    changed: {
      config: {
        users: [shop],
        databases: [{ name: 'shop_1', owner: 'shop' }],
        tls: { ...tlsFrom('db'), required: false },
        settings: { max_connections: 77 },
      },
      works: `${TLS_CLIENT}
tls_holds 3306 -starttls mysql
MYSQL_PWD="$(cat /root/password)" mariadb --no-defaults -NB -h a -u shop --skip-ssl -e 'SELECT 7'
[ "$(mariadb --skip-ssl -NBe 'SELECT @@max_connections')" = 77 ]; [ "$(mariadb --skip-ssl shop_1 -NBe 'SELECT n FROM proof LIMIT 1')" = 7 ]`,
    },
    units: ['mariadb'],
  },
  memcached: {
    with: [clientFiles(shop.password)],
    config: { users: [shop], tls: tlsFrom() },
    works: `${MEMCACHED_CLIENT}
private memcached memcache
tls_holds 11212
ask ca 'get proof' | grep -c '^CLIENT_ERROR unauthenticated'
ask ca 'set login 0 0 6' 'shop x' | grep -c '^CLIENT_ERROR'
ask ca "\${login[@]}" 'set proof 0 0 5' hello 'get proof' | grep -c ^hello
[ -z "$(ask other "\${login[@]}" 'get proof')" ]
refused timeout 5 bash -c "echo >/dev/tcp/$(hostname)/11211"`,
    changed: {
      // Another certificate is loaded without a restart, which would lose the item.
      config: { users: [shop], tls: tlsFrom('cache') },
      works: `${MEMCACHED_CLIENT}
tls_holds 11212 -verify_hostname cache
ask ca "\${login[@]}" 'get proof' | grep -c ^hello`,
    },
    units: ['memcached'],
    gone: '[ ! -e /etc/tls/memcached/key.pem ] && [ ! -e /usr/local/sbin/memcached-reload ]',
  },
  patroni: {
    with: [clientFiles(shop.password), { name: 'etcd', config: {} }],
    config: { ...ofPatroni(), allow: anywhere, tls: tlsFrom() },
    works: `${TLS_CLIENT}
private patroni postgres
tls_holds 5432 -starttls postgres
as() { PGPASSWORD="$(cat /root/password)" psql -qtAX "host=a user=shop dbname=shop $1" -c "\${2:-select version from pg_stat_ssl where pid = pg_backend_pid()}"; }
as 'sslmode=verify-full sslrootcert=/root/ca.pem' | grep TLSv1.3
refused as 'sslmode=verify-full sslrootcert=/root/other.pem'
refused as sslmode=disable
as sslmode=require 'create table if not exists proof (n int); insert into proof values (7)'
[ "$(as sslmode=require 'select n from proof limit 1')" = 7 ]
patronictl -c /etc/patroni/config.yml list -f json | grep -c '"Leader"'
curl -fsS http://a:8008/primary | grep -c '"state": "running"'
[ "$(curl -sS -o /dev/null -w '%{http_code}' -X PATCH -d '{"ttl": 99}' http://a:8008/config)" = 401 ]
[ "$(stat -c %a:%G /etc/patroni/config.yml)" = 640:postgres ]
curl -fsS http://a:8008/metrics | grep -c '^patroni_primary'`,
    changed: {
      config: { ...ofPatroni(), allow: anywhere, settings: { max_connections: 77 } },
      works: `[ ! -e /etc/tls/patroni/key.pem ]
as() { PGPASSWORD="$(cat /root/password)" psql -qtAX "host=a user=shop dbname=shop sslmode=disable" -c "$1"; }
[ "$(as 'show max_connections')" = 77 ]
[ "$(as 'select n from proof limit 1')" = 7 ]`,
    },
    units: ['patroni'],
    gone: '[ ! -e /etc/tls/patroni/key.pem ] && [ ! -e /etc/patroni/config.yml ] && ! pgrep -u postgres postgres',
  },
  pgbouncer: {
    with: [
      clientFiles({ generate: 'password', name: 'shop-db' }),
      {
        name: 'postgres',
        config: {
          users: [{ name: 'shop', password: { generate: 'password', name: 'shop-db' } }],
          databases: [{ name: 'shop', owner: 'shop' }],
        },
      },
    ],
    config: { ...pooled(), tls: tlsFrom() },
    works: `${POOLED}
${TLS_CLIENT}
private pgbouncer postgres
tls_holds 6432 -starttls postgres
by_tls() { PGPASSWORD="$(cat /root/password)" psql -qtAX "host=a port=6432 user=shop dbname=shop $1" -c 'select 7'; }
[ "$(by_tls 'sslmode=verify-full sslrootcert=/root/ca.pem')" = 7 ]
refused by_tls 'sslmode=verify-full sslrootcert=/root/other.pem'
refused by_tls sslmode=disable
as shop 6432 'create table if not exists proof (n int); insert into proof values (7)'
[ "$(as shop 6432 'select n from proof limit 1')" = 7 ]
if PGPASSWORD=x as shop 6432 'select 1' 2>/tmp/why; then exit 1; fi; grep -E 'authentication failed|SASL' /tmp/why`,
    changed: {
      config: { ...pooled(), port: 6433, mode: 'transaction', poolSize: 1 },
      works: `[ ! -e /etc/tls/pgbouncer/key.pem ]
${POOLED}
for _ in 1 2 3 4; do as shop 6433 'select pg_backend_pid()' & done | sort -u | wc -l | grep -x 1; wait
[ "$(as shop 6433 'select n from proof limit 1')" = 7 ]`,
    },
    units: ['pgbouncer'],
    gone: '[ ! -e /etc/tls/pgbouncer/key.pem ]',
  },
  postgres: {
    with: [clientFiles(shop.password)],
    config: { allow: anywhere, users: [shop], databases: [{ name: 'shop' }], tls: tlsFrom() },
    works: `${TLS_CLIENT}
private postgres postgres
tls_holds 5432 -starttls postgres
as() { PGPASSWORD="$(cat /root/password)" psql -qtAX "host=a user=shop dbname=postgres $1" -c 'select version from pg_stat_ssl where pid = pg_backend_pid()'; }
as 'sslmode=verify-full sslrootcert=/root/ca.pem' | grep TLSv1.3
refused as 'sslmode=verify-full sslrootcert=/root/other.pem'
refused as sslmode=disable
cd /; runuser -u postgres -- psql -qd shop -c 'create table if not exists proof (n int); insert into proof values (7)'
[ "$(runuser -u postgres -- psql -qtAd shop -c 'select n from proof limit 1')" = 7 ]`,
    changed: {
      config: {
        ...{ allow: anywhere, users: [shop], databases: [{ name: 'shop' }], settings: { work_mem: '8MB' } },
        tls: { ...tlsFrom('db'), required: false },
      },
      works: `${TLS_CLIENT}
tls_holds 5432 -starttls postgres
PGPASSWORD="$(cat /root/password)" psql -qtAX 'host=a user=shop dbname=postgres sslmode=disable' -c 'select 7' | grep 7
cd /; [ "$(runuser -u postgres -- psql -qtAc 'show work_mem')" = 8MB ]
[ "$(runuser -u postgres -- psql -qtAd shop -c 'select n from proof limit 1')" = 7 ]`,
    },
    units: ['postgresql@15-main'],
  },
  redis: {
    with: [clientFiles(shop.password)],
    config: { password: shop.password, tls: tlsFrom() },
    works: `${TLS_CLIENT}
private redis redis
tls_holds 6380
export REDISCLI_AUTH="$(cat /root/password)"
as() { redis-cli -h a -p 6380 --tls --sni a --cacert "/root/$1.pem" "\${@:2}"; }
as ca set proof 7 | grep OK; [ "$(as ca get proof)" = 7 ]
refused as other get proof
refused timeout 5 bash -c "echo >/dev/tcp/$(hostname)/6379"`,
    changed: {
      config: { password: shop.password, maxMemoryPolicy: 'allkeys-lru', tls: { ...tlsFrom('cache'), required: false } },
      works: `${TLS_CLIENT}
tls_holds 6380
export REDISCLI_AUTH="$(cat /root/password)"
redis-cli -h a config get maxmemory-policy | grep allkeys-lru; [ "$(redis-cli -h a get proof)" = 7 ]`,
    },
    units: ['redis-server'],
    gone: '[ ! -e /etc/tls/redis/key.pem ]',
  },
  valkey: {
    with: [clientFiles(shop.password)],
    config: { password: shop.password, tls: tlsFrom() },
    works: `${TLS_CLIENT}
private valkey valkey
tls_holds 6380
export REDISCLI_AUTH="$(cat /root/password)"
as() { valkey-cli -h a -p 6380 --tls --sni a --cacert "/root/$1.pem" "\${@:2}"; }
as ca set proof 7 | grep OK; [ "$(as ca get proof)" = 7 ]
refused as other get proof
refused timeout 5 bash -c "echo >/dev/tcp/$(hostname)/6379"`,
    changed: {
      config: { password: shop.password, maxMemoryPolicy: 'allkeys-lru', tls: { ...tlsFrom('cache'), required: false } },
      works: `${TLS_CLIENT}
tls_holds 6380
export REDISCLI_AUTH="$(cat /root/password)"
valkey-cli -h a config get maxmemory-policy | grep allkeys-lru; [ "$(valkey-cli -h a get proof)" = 7 ]`,
    },
    units: ['valkey-server'],
    gone: '[ ! -e /etc/tls/valkey/key.pem ]',
  },
};
