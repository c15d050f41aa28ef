import {
  checkFirst,
  debian,
  debianVersions,
  defineTaskserv,
  ensureFile,
  ensureNoFile,
  ensureNoPackage,
  ensurePackage,
  ensureService,
  type Facts,
  type Found,
  type FoundFile,
  type FoundPackage,
  file,
  gentlestChange,
  sh,
  systemd,
  upstreamVersion,
} from '../../sdk/index.js';
import { PING, phpFpmConfig, poolConf, SOCKET } from './php-fpm-config.js';

const PACKAGE = 'php8.2-fpm';
const POOL = '/etc/php/8.2/fpm/pool.d/www.conf';
const READS = [POOL];

/** Those that every host is asked for, besides the extensions that are wanted. */
interface Known extends Facts {
  package: ReturnType<typeof debian>;
  client: ReturnType<typeof debian>;
  pool: ReturnType<typeof file>;
  unit: ReturnType<typeof systemd>;
}

/** How the facts of extensions are named. */
const EXTENSION = 'extension ';

/** Runs PHP for web servers. By hand, since which packages it needs is for its configuration to say. */
export const phpFpm = defineTaskserv({
  name: 'php-fpm',
  category: 'web',
  description: 'Runs PHP for a web server on the same host.',
  versions: debianVersions({ 12: '8.2', 13: null }, { package: PACKAGE }),
  supports: { os: ['debian'] },
  config: phpFpmConfig,
  uses: () => [],
  facts: ({ extensions }): Known => ({
    package: debian(PACKAGE),
    client: debian('libfcgi-bin'),
    ...Object.fromEntries(extensions.map((name) => [`${EXTENSION}${name}`, debian(`php8.2-${name}`)])),
    pool: file(POOL),
    unit: systemd(PACKAGE, READS),
  }),
  installed: (found) => upstreamVersion(found.package.version),

  plan(config, found, _context) {
    const extensions = Object.entries(found).flatMap(([name, one]) => (name.startsWith(EXTENSION) ? [one as FoundPackage] : []));
    const before = [
      ...[found.package, ...extensions, found.client].flatMap((one) => ensurePackage(one)),
      ...ensureFile(found.pool, { content: poolConf(config) }),
    ];
    const wanted = { state: 'running' as const, enabled: true, change: gentlestChange(found.unit, before, READS), reads: READS };
    const service = ensureService(found.unit, wanted, before);
    return [...before, ...checkFirst('Check the configuration of php-fpm', 'php-fpm8.2 -t', service)];
  },

  health: () => [
    {
      title: 'php-fpm answers',
      command: `export REQUEST_METHOD=GET ${sh`SCRIPT_NAME=${PING} SCRIPT_FILENAME=${PING}`}
${sh`timeout 4 cgi-fcgi -bind -connect ${SOCKET}`}`,
      expect: 'pong',
    },
  ],

  remove: (_, found: Found<Known>) => [
    ...ensureService(found.unit, { state: 'stopped', enabled: false }),
    ...ensureNoPackage(found.package),
    ...ensureNoFile(found.pool as FoundFile),
  ],
});
