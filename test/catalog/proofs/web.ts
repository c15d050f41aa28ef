import type { Proofs } from '../proof.js';

const ROOT = '/var/lib/caddy/.local/share/caddy/pki/authorities/local/root.crt';

export const web: Proofs = {
  caddy: {
    config: {
      sites: [
        { name: 'docs', port: 8081, root: '/srv/docs' },
        { name: 'shop', hosts: ['shop.example.org'], tls: 'internal', proxyTo: ['http://127.0.0.1:9', 'http://127.0.0.1:8081'] },
      ],
    },
    // The page is asked for by TLS with a certificate that holds; of two upstreams one is down.
    works: `install -d /srv/docs; echo hello >/srv/docs/index.html
curl -fsS "http://$(hostname):8081/" | grep -c hello
own=$(getent ahostsv4 "$(hostname)" | awk 'NR == 1 { print $1 }')
for _ in 1 2 3; do
  curl -fsS --cacert ${ROOT} --resolve "shop.example.org:443:$own" https://shop.example.org/ | grep -c hello
done
[ "$(curl -s -o /dev/null -w '%{redirect_url}' -H 'Host: shop.example.org' http://127.0.0.1/)" = https://shop.example.org/ ]
[ "$(stat -c '%a %U' /run/caddy)" = '750 caddy' ]`,
    changed: {
      config: { port: 8080, sites: [{ name: 'docs', hosts: ['docs.example.org'], root: '/srv/docs' }] },
      works: `curl -fsS -H 'Host: docs.example.org' http://127.0.0.1:8080/ | grep -c hello
if curl -fsS http://127.0.0.1:8080/ | grep hello; then exit 1; fi
if curl -sS http://127.0.0.1:80/; then exit 1; fi`,
    },
    units: ['caddy'],
  },
};
