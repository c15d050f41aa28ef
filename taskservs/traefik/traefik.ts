import { askAt, listeningOn, releaseService, sh } from '../../sdk/index.js';
import { DYNAMIC, dynamicFile, HEALTH_HOST, staticFile, traefikConfig, urlAt } from './traefik-files.js';
import published from './versions.json' with { type: 'json' };

const CONF = '/etc/traefik/traefik.yml';

/** Passes requests on to servers by their name and path. */
export const traefik = releaseService({
  name: 'traefik',
  category: 'load-balancing',
  holds: [],
  description: 'Reverse proxy that routes requests by name and path, and loads new routes while it runs.',
  config: traefikConfig,
  published,
  artifact: { unpack: 'tar' },
  endpoints: ({ port, adminPort }) => [
    { name: 'http', port },
    { name: 'metrics', port: adminPort, path: '/metrics' },
  ],
  listens: 'http',
  privileged: ({ port }) => port < 1024,
  command: () => ['traefik', `--configFile=${CONF}`],
  files: {
    conf: {
      path: CONF,
      content: (config, at) => staticFile(config, at.listening, listeningOn('traefik', 'metrics', at)),
    },
    routes: { path: DYNAMIC, content: dynamicFile, watched: true },
  },
  health: ({ port, adminPort }, at) => [
    {
      title: 'traefik routes a request',
      command: `${sh`exec 3<>/dev/tcp/${askAt(at.listening)}/${port}`}
${sh`printf 'GET /ping HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n' ${HEALTH_HOST}`} >&3
timeout 3 cat <&3`,
      expect: '200 OK',
    },
    { title: 'traefik is well', http: urlAt(listeningOn('traefik', 'metrics', at), adminPort, '/ping') },
  ],
});
