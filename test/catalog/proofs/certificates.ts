import type { Proofs } from '../proof.js';
import { NAME_SERVER, TSIG } from './name-server.js';

/** Starts the authority, which has a new root certificate each time. */
export const PEBBLE = `systemd-run --unit pebble -E PEBBLE_VA_NOSLEEP=1 -E PEBBLE_AUTHZREUSE=0 pebble -config /srv/pebble/pebble.json -dnsserver 127.0.0.1:53
for _ in $(seq 100); do curl -fsSk https://localhost:14000/dir && break; sleep 0.2; done`;

/** Installs an authority and its name server, whose zone accepts updates. Prints the authority's own certificate. */
export const AUTHORITY = `export DEBIAN_FRONTEND=noninteractive
{
apt-get update -qq; apt-get install -y -qq pebble bind9 openssl
install -d /srv/pebble; cd /srv/pebble
openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -subj /CN=authority -days 30
openssl req -newkey rsa:2048 -nodes -keyout key.pem -out request.pem -subj /CN=b
openssl x509 -req -in request.pem -CA ca.pem -CAkey ca.key -CAcreateserial -out certificate.pem -days 30 -extfile <(echo subjectAltName=DNS:b)
cat >pebble.json <<'EOF'
{ "pebble": { "listenAddress": "0.0.0.0:14000", "managementListenAddress": "0.0.0.0:15000", "certificate": "/srv/pebble/certificate.pem",
  "privateKey": "/srv/pebble/key.pem", "httpPort": 80, "tlsPort": 443 } }
EOF
${NAME_SERVER}
${PEBBLE}
} >/srv/made 2>&1 || { tail -n 5 /srv/made >&2; exit 1; }
cat /srv/pebble/ca.pem`;

const common = { email: 'ops@example.org', directory: 'https://b:14000/dir', authority: 'BESIDE' };

/** Checks the domain of a certificate, its authority and its key. */
const served = (name: string, domain: string) => `cd /etc/acme/${name}
openssl x509 -in certificate.pem -noout -ext subjectAltName | grep -F 'DNS:${domain}'
openssl verify -CAfile <(curl -fsSk https://b:15000/roots/0) -untrusted certificate.pem certificate.pem
[ "$(openssl x509 -in combined.pem -noout -pubkey)" = "$(openssl pkey -in combined.pem -pubout)" ]`;

export const certificates: Proofs = {
  acme: {
    beside: AUTHORITY,
    secrets: { tsig: TSIG },
    config: {
      ...common,
      httpPort: 80,
      // Certificates of this authority are valid for five years: the next check renews it.
      renewBefore: '2000 d',
      certificates: [{ name: 'shop', domains: ['shop.example.org'] }],
    },
    // A renewal replaces the certificate, and a rejected renewal keeps it.
    works: `${served('shop', 'shop.example.org')}
[ "$(stat -c '%a %U %G' key.pem)" = '640 root root' ]; [ "$(stat -c %a .)" = 750 ]
former=$(openssl x509 -in certificate.pem -noout -serial)
systemctl start acme.service
[ "$(openssl x509 -in certificate.pem -noout -serial)" != "$former" ]
${served('shop', 'shop.example.org')}
former=$(openssl x509 -in certificate.pem -noout -serial)
systemctl is-active blocker || systemd-run --quiet --unit blocker perl -MIO::Socket::INET -e 'my $held = IO::Socket::INET->new(LocalPort => 80, Listen => 1, ReuseAddr => 1) or die; sleep 60'
until ss -Hltn 'sport = 80' | grep :80; do sleep 0.1; done
if provisioning-acme renew 2>/tmp/why; then exit 1; fi; systemctl stop blocker
grep 'cannot get certificate shop: .*address already in use' /tmp/why
[ "$(openssl x509 -in certificate.pem -noout -serial)" = "$former" ]`,
    changed: {
      config: {
        ...common,
        dns: { server: 'b:53', key: 'acme', secret: { secret: 'tsig' }, checkPropagation: false },
        certificates: [{ name: 'all', domains: ['example.org', '*.example.org'], group: 'mail', key: 'rsa2048' }],
      },
      works: `${served('all', '*.example.org')}
[ "$(stat -c '%a %U %G' key.pem)" = '640 root mail' ]
[ ! -e /etc/acme/shop ]
if runuser -u nobody -- cat /etc/acme/environment; then exit 1; fi`,
    },
    units: ['acme.timer', 'acme.service'],
    gone: '[ ! -e /etc/acme/environment ] && [ ! -e /usr/local/sbin/provisioning-acme ] && [ -s /etc/acme/all/key.pem ]',
  },
};
