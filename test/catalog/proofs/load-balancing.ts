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
};
