import type { Proof, Proofs } from '../proof.js';
import { clientFiles, TLS_CLIENT, tlsFrom } from '../tls.js';

/** Answer of a resolver on this host, in hexadecimal digits, to a query for the address of `db.internal`. */
const ASKS_FOR_DB = `exec 3<>/dev/udp/127.0.0.1/53
printf '\\x70\\x72\\x01\\x00\\x00\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x02db\\x08internal\\x00\\x00\\x01\\x00\\x01' >&3
answer=$(timeout 5 dd bs=512 count=1 status=none <&3 | od -An -v -tx1 | tr -d ' \\n')`;

/** The same for the address of `example.org`. */
const ASKS_FOR_OTHERS = ASKS_FOR_DB.replace('\\x02db\\x08internal', '\\x07example\\x03org');

const zone = (address: string) => ({
  name: 'internal',
  nameServers: ['ns.internal'],
  records: [
    { name: 'ns', value: '10.0.0.2' },
    { name: 'db', value: address },
  ],
});

const resolver = (): Proof => ({
  config: { records: [{ name: 'db.internal', address: '10.0.0.5' }] },
  works: `${ASKS_FOR_DB}; [[ $answer == *0a000005 ]]`,
  changed: {
    config: { records: [{ name: 'db.internal', address: '10.0.0.6' }] },
    works: `${ASKS_FOR_DB}; [[ $answer == *0a000006 ]]`,
  },
  units: [],
});

/** Web server on port 8080 for the duration of the script. Each answer has the number of requests. */
const ORIGIN = `perl -MIO::Socket::INET -MPOSIX=strftime -e '
  $listening = IO::Socket::INET->new(LocalPort => 8080, Listen => 5, ReuseAddr => 1) or die;
  while ($client = $listening->accept) {
    while (<$client>) { last if /^\\r?$/ }
    $count++;
    $date = strftime("%a, %d %b %Y %T GMT", gmtime);
    print $client "HTTP/1.0 200 OK\\r\\nDate: $date\\r\\nCache-Control: max-age=600\\r\\n\\r\\nanswer $count\\n";
    close $client;
  }' >/dev/null 2>&1 &
trap "kill $!" EXIT
until (: </dev/tcp/127.0.0.1/8080) 2>/dev/null; do sleep 0.1; done
through() { curl -s -o /tmp/answer -w '%{http_code}' -x "127.0.0.1:$1" "$2"; }`;

export const networking: Proofs = {
  bind: {
    config: { zones: [zone('10.0.0.5'), { name: 'example.org', nameServers: ['ns.internal'], records: [{ value: '10.0.0.7' }] }] },
    works: `${ASKS_FOR_DB}; [[ $answer == 7072850000010001*0a000005* ]]
${ASKS_FOR_OTHERS}; [[ $answer == 7072850000010001*0a000007* ]]`,
    changed: {
      config: { zones: [zone('10.0.0.6')] },
      // It rejects queries for other domains: code 5, refused.
      works: `${ASKS_FOR_DB}; [[ $answer == 7072850000010001*0a000006* ]]
${ASKS_FOR_OTHERS}; [[ $answer == 7072810500010000* ]]
[ ! -e /etc/bind/zones/example.org ]`,
    },
    units: ['named'],
    gone: '[ ! -e /etc/bind/zones/internal ]',
  },
  dnsmasq: { ...resolver(), units: ['dnsmasq'] },
  squid: {
    with: [clientFiles()],
    config: { domains: ['a'], ports: [8080], tls: tlsFrom() },
    works: `${TLS_CLIENT}
${ORIGIN}
private squid proxy
tls_holds 3129
by_tls() { curl -s -o /tmp/answer -w '%{http_code}' --proxy-cacert "/root/$1.pem" -x https://a:3129 "$2"; }
[ "$(by_tls ca http://a:8080/)" = 200 ]
grep '^answer' /tmp/answer
[ "$(by_tls ca http://example.org:8080/)" = 403 ]
[ "$(by_tls ca http://a:22/)" = 403 ]
refused by_tls other http://a:8080/
refused timeout 5 bash -c "echo >/dev/tcp/$(hostname)/3128"
# What stands behind a certificate is sent as well, once squid reloads.
sent() { [ "$(openssl_to 3129 -showcerts | grep -c 'BEGIN CERTIFICATE')" = "$1" ]; }
taken_in() { systemctl reload squid; for _ in $(seq 50); do ! sent "$1" || return 0; sleep 0.2; done; return 1; }
sent 1
cp -p /etc/tls/squid/certificate.pem /root/kept.pem
cat /root/ca.pem >>/etc/tls/squid/certificate.pem
taken_in 2
cp -p /root/kept.pem /etc/tls/squid/certificate.pem
taken_in 1`,
    changed: {
      config: { port: 3129, ports: [8080], diskCache: '64 MiB' },
      works: `[ ! -e /etc/tls/squid/key.pem ]
${ORIGIN}
through 3129 http://a:8080/page && first=$(cat /tmp/answer)
through 3129 http://a:8080/page && [ "$(cat /tmp/answer)" = "$first" ]
grep '^answer' /tmp/answer
[ "$(through 3129 http://127.0.0.1:8080/)" = 403 ]
[ -d /var/spool/squid/00 ]`,
    },
    units: ['squid'],
    gone: '[ ! -e /usr/sbin/squid ] && [ ! -e /etc/tls/squid/key.pem ]',
    sendsUdp: true,
  },
  unbound: { ...resolver(), units: ['unbound'] },
};
