/** What shows, on a host and by other means than the platform's, that a service does its work. */
export interface Proof {
  config: Record<string, unknown>;
  /** A script of root's that fails where the service does not work: a write and a read, a question and its answer. */
  works: string;
  /** Another configuration, and a script that fails where it is not in force. */
  changed: { config: Record<string, unknown>; works: string };
  /** Systemd units that are not active once the service is removed. */
  units: readonly string[];
}

const nats = (login: string): string => `exec 3<>/dev/tcp/$(hostname)/4222
printf 'CONNECT %s\\r\\nSUB news 1\\r\\nPUB news 5\\r\\nhello\\r\\n' '${login}' >&3
timeout 5 grep -m1 -A1 '^MSG news 1 5' <&3 | grep -c hello`;

const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGZvb2Jhcg ann@laptop';

/** The answer of a resolver on this host, in hexadecimal digits; the question is one for the address of `db.internal`. */
const ASKS_FOR_DB = `exec 3<>/dev/udp/127.0.0.1/53
printf '\\x70\\x72\\x01\\x00\\x00\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x02db\\x08internal\\x00\\x00\\x01\\x00\\x01' >&3
answer=$(timeout 5 dd bs=512 count=1 status=none <&3 | od -An -v -tx1 | tr -d ' \\n')`;

const resolver = (): Proof => ({
  config: { records: [{ name: 'db.internal', address: '10.0.0.5' }] },
  works: `${ASKS_FOR_DB}; [[ $answer == *0a000005 ]]`,
  changed: {
    config: { records: [{ name: 'db.internal', address: '10.0.0.6' }] },
    works: `${ASKS_FOR_DB}; [[ $answer == *0a000006 ]]`,
  },
  units: [],
});

/** A proof for each taskserv of the platform. One that is not here is shown as not proven. */
export const PROOFS: Readonly<Record<string, Proof>> = {
  dnsmasq: { ...resolver(), units: ['dnsmasq'] },
  fail2ban: {
    config: { banTime: '1 h' },
    works: `banned() { nft list ruleset | grep -c 192.0.2.7; }
until_is() { for _ in $(seq 20); do "$@" >/dev/null && return; sleep 0.5; done; return 1; }
gone() { ! banned; }
fail2ban-client set sshd banip 192.0.2.7; until_is banned
fail2ban-client set sshd unbanip 192.0.2.7; until_is gone`,
    changed: { config: { banTime: '2 h' }, works: '[ "$(fail2ban-client get sshd bantime)" = 7200 ]' },
    units: ['fail2ban'],
  },
  firewall: {
    config: {},
    works: 'nft list table inet provisioning | grep -c "policy drop"',
    changed: {
      config: { allow: [{ port: 9, protocol: 'udp' }] },
      works: 'nft -n list table inet provisioning | grep -c "udp dport 9"',
    },
    units: [],
  },
  haproxy: {
    config: {},
    works: '[ "$(curl -s -o /dev/null -w "%{http_code}" "http://$(hostname):80/")" = 503 ]',
    changed: {
      config: { port: 8080 },
      works: '[ "$(curl -s -o /dev/null -w "%{http_code}" "http://$(hostname):8080/")" = 503 ]',
    },
    units: ['haproxy'],
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
  nats: {
    config: { users: [{ name: 'shop', password: { generate: 'password' } }], jetStream: true },
    works: `password=$(sed -n "s/.*user: \\"shop\\", password: '\\(.*\\)'.*/\\1/p" /etc/nats-server.conf)
${nats('{"verbose":false,"user":"shop","pass":"\'"$password"\'"}')}
[ -d /var/lib/nats/jetstream ]`,
    changed: {
      config: { maxPayload: '2 MiB', jetStream: true },
      works: 'exec 3<>/dev/tcp/127.0.0.1/4222; head -n1 <&3 | grep -c \'"max_payload":2097152\'',
    },
    units: ['nats-server'],
  },
  nginx: {
    config: { sites: [{ name: 'docs', port: 8081, serverName: 'docs.example.org', root: '/srv/docs' }] },
    works: 'install -d /srv/docs; echo hello >/srv/docs/index.html; curl -fsS "http://$(hostname):8081/" | grep -c hello',
    changed: {
      config: { sites: [{ name: 'docs', port: 8082, serverName: 'docs.example.org', root: '/srv/docs' }] },
      works: 'curl -fsS "http://$(hostname):8082/" | grep -c hello',
    },
    units: ['nginx'],
  },
  'node-exporter': {
    config: {},
    works: 'metrics=$(curl -fsS http://127.0.0.1:9100/metrics); grep -q "^node_memory_MemTotal_bytes [1-9]" <<<"$metrics"',
    changed: {
      config: { disabledCollectors: ['meminfo'] },
      works: 'metrics=$(curl -fsS http://127.0.0.1:9100/metrics); ! grep -q ^node_memory_MemTotal_bytes <<<"$metrics"',
    },
    units: ['prometheus-node-exporter'],
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
  prometheus: {
    config: { scrapeInterval: '1 s' },
    works: `for _ in $(seq 30); do
  curl -fsS "http://$(hostname):9090/api/v1/query?query=up" | grep -c '"1"\\]' && exit
  sleep 1
done; exit 1`,
    changed: {
      config: { scrapeInterval: '2 s' },
      works: 'curl -fsS "http://$(hostname):9090/api/v1/status/config" | grep -c "scrape_interval: 2s"',
    },
    units: ['prometheus'],
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
  'unattended-upgrades': {
    config: {},
    works: 'unattended-upgrade --dry-run --debug 2>&1 | grep -c "Allowed origins are:.*Debian-Security"',
    changed: {
      config: { never: ['libstdc++6'] },
      works: String.raw`unattended-upgrade --dry-run --debug 2>&1 | grep -F 'Initial blacklist: ^libstdc\+\+6$'`,
    },
    units: ['unattended-upgrades'],
  },
  unbound: { ...resolver(), units: ['unbound'] },
  users: {
    config: { users: [{ name: 'ann', authorizedKeys: [KEY] }] },
    works: `getent passwd ann; grep -qF '${KEY}' ~ann/.ssh/authorized_keys`,
    changed: { config: { users: [{ name: 'ann', sudo: true }] }, works: 'runuser -u ann -- sudo -n true' },
    units: [],
  },
};
