import type { Proofs } from '../proof.js';
import { clientFiles, TLS_CLIENT, tlsFrom } from '../tls.js';

/** Raises an alert with a unique name, `$name`, and these additional labels. */
const raisesAlert = (labels = '') => `name=Proof$RANDOM
curl -fsS -H 'Content-Type: application/json' -d '[{"labels":{"alertname":"'$name'"${labels}}}]' http://127.0.0.1:9093/api/v2/alerts`;

/** Listens on a port of loopback, and does with the first connection, \`$c\`, what is said in Perl. */
const serves = (port: number, perl: string, seconds = 9) =>
  `timeout ${seconds} perl -MIO::Socket::INET -e '$s = IO::Socket::INET->new(LocalAddr => "127.0.0.1:${port}", Listen => 1, ReuseAddr => 1) or die; $c = $s->accept; ${perl}'`;

const WEBHOOK =
  'while (sysread $c, $b, 4096) { print $b; $all .= $b; last if $all =~ /"groupKey"/ } print $c "HTTP/1.1 200 OK\\r\\nContent-Length: 0\\r\\n\\r\\n"';

const MAIL_SERVER = `print $c "220 proof ESMTP\\r\\n";
while (<$c>) {
  print;
  if ($data) { if (/^\\.\\r/) { print $c "250 ok\\r\\n"; last } }
  elsif (/^DATA/) { $data = 1; print $c "354 go on\\r\\n" }
  else { print $c "250 ok\\r\\n" }
}`;

/** Stores the output of an exporter on the host's address in `$metrics`. */
const metrics = (port: number) => `metrics=$(curl -fsS "http://$(hostname):${port}/metrics")`;

export const observability: Proofs = {
  alertmanager: {
    config: {
      groupWait: '1 s',
      receivers: [{ name: 'team', webhooks: [{ url: 'http://127.0.0.1:5001/', token: { generate: 'token' } }] }],
    },
    works: `token=$(sed -n "s/.*credentials: '\\(.*\\)'.*/\\1/p" /etc/prometheus/alertmanager.yml)
${raisesAlert()}
got=$(${serves(5001, WEBHOOK)})
grep "^Authorization: Bearer $token" <<<"$got" && grep "\\"alertname\\":\\"$name\\"" <<<"$got"`,
    changed: {
      config: {
        groupWait: '1 s',
        smtp: { server: '127.0.0.1:2525', from: 'alerts@example.org', requireTls: false },
        receivers: [{ name: 'nobody' }, { name: 'team', emails: ['team@example.org'] }],
        routes: [{ match: { severity: 'critical' }, receiver: 'team' }],
      },
      works: `${raisesAlert(',"severity":"critical"')}
got=$(${serves(2525, MAIL_SERVER)})
grep "RCPT TO:<team@example.org>" <<<"$got" && grep "^Subject: .*$name" <<<"$got"`,
    },
    units: ['prometheus-alertmanager'],
  },
  'blackbox-exporter': {
    config: { tcp: ['127.0.0.1:5002'], icmp: ['127.0.0.1'] },
    works: `asks() { curl -fsS "http://$(hostname):9115/probe?module=$1&target=$2"; }
! asks tcp 127.0.0.1:5002 | grep '^probe_success 1' || exit 1
${serves(5002, '')} & sleep 1
asks tcp 127.0.0.1:5002 | grep '^probe_success 1'
asks icmp 127.0.0.1 | grep '^probe_success 1'
asks icmp 192.0.2.7 | grep '^probe_success 0'`,
    changed: {
      config: { http: ['http://127.0.0.1:5003/'], timeout: '2 s' },
      works: `${serves(5003, 'sysread $c, $b, 4096; print $c "HTTP/1.1 503 Gone\\r\\nContent-Length: 0\\r\\n\\r\\n"')} & sleep 1
answer=$(curl -fsS "http://$(hostname):9115/probe?module=http&target=http%3A%2F%2F127.0.0.1%3A5003%2F")
grep '^probe_http_status_code 503' <<<"$answer" && grep '^probe_success 0' <<<"$answer"`,
    },
    units: ['prometheus-blackbox-exporter'],
  },
  'mysqld-exporter': {
    config: {},
    works: `before=$(mariadb --skip-ssl -NBe "SHOW GLOBAL STATUS LIKE 'Com_insert'" | cut -f2)
mariadb --skip-ssl -e 'CREATE DATABASE IF NOT EXISTS proof; CREATE TABLE IF NOT EXISTS proof.t (n INT); INSERT INTO proof.t VALUES (7)'
${metrics(9104)}; grep '^mysql_global_status_commands_total{command="insert"} '"$((before + 1))$" <<<"$metrics"
! runuser -u nobody -- mariadb --skip-ssl -u prometheus -e 'SELECT 1'`,
    changed: {
      config: { enabledCollectors: ['info_schema.tables'] },
      works: `${metrics(9104)}; grep '^mysql_info_schema_table_rows{schema="proof",table="t"} [1-9]' <<<"$metrics"`,
    },
    units: ['prometheus-mysqld-exporter'],
  },
  'nginx-exporter': {
    config: {},
    works: `${metrics(9113)}; before=$(sed -n 's/^nginx_http_requests_total //p' <<<"$metrics")
for _ in $(seq 5); do curl -fsS -o /dev/null "http://$(hostname)/"; done
${metrics(9113)}; [ "$(sed -n 's/^nginx_http_requests_total //p' <<<"$metrics")" -ge $((before + 5)) ]`,
    changed: {
      config: { port: 9114 },
      works: `${metrics(9114)}; grep '^nginx_up 1' <<<"$metrics"`,
    },
    units: ['prometheus-nginx-exporter'],
  },
  'node-exporter': {
    with: [clientFiles()],
    config: { tls: tlsFrom() },
    works: `${TLS_CLIENT}
private node-exporter prometheus
tls_holds 9100
asks() { curl -fsS --cacert "/root/$1.pem" --connect-to "a:9100:$(hostname -I | cut -d' ' -f1):9100" https://a:9100/metrics; }
metrics=$(asks ca); grep -q "^node_memory_MemTotal_bytes [1-9]" <<<"$metrics"
refused asks other
refused curl -fsS "http://$(hostname):9100/metrics"`,
    changed: {
      config: { disabledCollectors: ['meminfo'], tls: tlsFrom('node') },
      works: `${TLS_CLIENT}
tls_holds 9100
metrics=$(curl -fsS --cacert /root/ca.pem https://127.0.0.1:9100/metrics); refused grep -q ^node_memory_MemTotal_bytes <<<"$metrics"
grep -q ^node_ <<<"$metrics"`,
    },
    units: ['prometheus-node-exporter'],
  },
  'postgres-exporter': {
    config: {},
    works: `cd /; runuser -u postgres -- createdb shop || true
runuser -u postgres -- psql -qd shop -c 'create table if not exists proof (n int); insert into proof select generate_series(1, 5000)'
${metrics(9187)}; grep '^pg_stat_database_tup_inserted{.*datname="shop".*} [0-9][0-9]*[0-9][0-9][0-9]$' <<<"$metrics"
grep '^pg_settings_max_connections{' <<<"$metrics"
! runuser -u prometheus -- psql -qtAd shop -c 'select count(*) from proof'`,
    changed: {
      config: { settings: false },
      works: `${metrics(9187)}; grep '^pg_database_size_bytes{.*datname="shop".*} [1-9]' <<<"$metrics"
! grep ^pg_settings_ <<<"$metrics"`,
    },
    units: ['prometheus-postgres-exporter'],
  },
  prometheus: {
    with: [
      clientFiles(),
      { name: 'node-exporter', config: { tls: tlsFrom() } },
      { name: 'alertmanager', config: { receivers: [{ name: 'nobody' }], tls: tlsFrom() } },
    ],
    config: { scrapeInterval: '1 s', authority: { generate: 'ca', name: 'ca' }, tls: tlsFrom() },
    works: `${TLS_CLIENT}
private prometheus prometheus
tls_holds 9090
refused curl -fsS "http://$(hostname):9090/-/ready"
for job in prometheus node-exporter alertmanager; do
  for _ in $(seq 30); do
    answer=$(curl -fsS --cacert /root/ca.pem "https://a:9090/api/v1/query?query=up%7Bjob=%22$job%22%7D")
    grep '"1"\\]' <<<"$answer" && continue 2
    sleep 1
  done
  exit 1
done`,
    // With another authority, none of them can be queried.
    changed: {
      config: {
        scrapeInterval: '2 s',
        authority: { generate: 'ca', name: 'other' },
        rules: [{ alert: 'Down', expr: 'up{job="node-exporter"} == 0', for: '1 s', labels: { severity: 'proof' } }],
      },
      works: `curl -fsS "http://$(hostname):9090/api/v1/status/config" | grep -c "scrape_interval: 2s"
targets=$(curl -fsS "http://$(hostname):9090/api/v1/targets"); grep 'certificate signed by unknown authority' <<<"$targets"
for _ in $(seq 30); do
  alerts=$(curl -fsS "http://$(hostname):9090/api/v1/alerts")
  [[ $alerts == *'"severity":"proof"'*'"state":"firing"'* ]] && exit
  sleep 1
done; exit 1`,
    },
    units: ['prometheus'],
  },
  'redis-exporter': {
    config: {},
    works: `redis-cli set proof 7; redis-cli expire proof 1000
${metrics(9121)}; grep '^redis_db_keys_expiring{db="db0"} 1$' <<<"$metrics"`,
    changed: {
      config: { keys: ['queue:*'] },
      works: `redis-cli del queue:mail; redis-cli rpush queue:mail a b c
${metrics(9121)}; grep '^redis_key_size{db="db0",key="queue:mail"} 3$' <<<"$metrics"`,
    },
    units: ['prometheus-redis-exporter'],
  },
  rsyslog: {
    config: { receive: true },
    works: `id="proof-$RANDOM$RANDOM"
exec 3<>/dev/tcp/$(hostname)/514
printf '<14>1 2026-01-01T00:00:00Z web-7 shop - - - %s\n<14>1 2026-01-01T00:00:00Z ../web/8 shop - - - %s\n' "$id" "$id" >&3
sleep 1; grep "$id" /var/log/remote/web-7.log; grep "$id" /var/log/remote/.*web*8.log
logrotate -d /etc/logrotate.d/provisioning-rsyslog
! grep "$id" /var/log/syslog`,
    changed: {
      config: { forwardTo: ['127.0.0.1:5514'] },
      works: `export id="proof-$RANDOM$RANDOM"
logger -t shop "$id"
${serves(5514, 'while (sysread $c, $b, 4096) { print $b; $all .= $b; last if $all =~ /$ENV{id}/ }', 40)} | grep -a " shop .*$id"`,
    },
    units: ['rsyslog'],
  },
  victoriametrics: {
    config: { password: { generate: 'password' } },
    works: `at="http://$(hostname):8428"
login="metrics:$(sed -n "s/^httpAuth_password='\\(.*\\)'/\\1/p" /etc/default/victoria-metrics)"
! curl -fsS "$at/api/v1/query?query=up" || exit 1
printf 'proof{n="1"} 7\n' | curl -fsS -u "$login" --data-binary @- "$at/api/v1/import/prometheus"
for _ in $(seq 20); do
  curl -fsS -u "$login" "$at/api/v1/export?match%5B%5D=proof" | grep '"n":"1"},"values":\\[7' && exit
  sleep 0.5
done; exit 1`,
    changed: {
      config: { retention: '60 d' },
      works: `at=http://127.0.0.1:8428
curl -fsS "$at/flags" | grep retentionPeriod=.*1440h
curl -fsS "$at/api/v1/export?match%5B%5D=proof" | grep '"n":"1"},"values":\\[7'`,
    },
    units: ['victoria-metrics'],
  },
};
