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
  type FoundFacts,
  type FoundFile,
  type FoundPackage,
  type FoundService,
  file,
  gentlestChange,
  sh,
  systemd,
  upstreamVersion,
} from '../../sdk/index.js';
import { PING, phpFpmConfig, poolConf, SOCKET } from './php-fpm-config.js';

const VERSIONS = debianVersions({ 12: '8.2', 13: '8.4' }, { package: 'php{version}-fpm' });

/** The package and the unit are called alike. */
const packageOf = (version: string): string => `php${version}-fpm`;
const poolOf = (version: string): string => `/etc/php/${version}/fpm/pool.d/www.conf`;

/** Facts of the expected version and of the wanted extensions. Each other version has its own facts. */
interface Known extends Facts {
  package: ReturnType<typeof debian>;
  client: ReturnType<typeof debian>;
  pool: ReturnType<typeof file>;
  unit: ReturnType<typeof systemd>;
}

/** How the facts of extensions are named. */
const EXTENSION = 'extension ';

const factsOf = (version: string, extensions: readonly string[]) => ({
  package: debian(packageOf(version)),
  ...Object.fromEntries(extensions.map((name) => [`${EXTENSION}${name}`, debian(`php${version}-${name}`)])),
  pool: file(poolOf(version)),
  unit: systemd(packageOf(version), [poolOf(version)]),
});

/** Facts of one version. */
interface OfVersion {
  package: FoundPackage;
  extensions: FoundPackage[];
  pool: FoundFile;
  unit: FoundService;
}

/** @param prefix prefix of the facts' names; empty for the expected version */
const withPrefix = (found: FoundFacts<Known>, prefix: string): OfVersion => ({
  package: found[`${prefix}package`],
  extensions: Object.keys(found).flatMap((name) => (name.startsWith(`${prefix}${EXTENSION}`) ? [found[name]] : [])),
  pool: found[`${prefix}pool`],
  unit: found[`${prefix}unit`],
});

const ofVersion = (found: FoundFacts<Known>, version: string): OfVersion =>
  withPrefix(found, `${version} package` in found ? `${version} ` : '');

/** The installed version, preferably the expected one. Another one next to it was not installed by the platform. */
function ofInstalled(found: FoundFacts<Known>): OfVersion {
  const supposed = withPrefix(found, '');
  const all = [supposed, ...VERSIONS.supported.map((version) => ofVersion(found, version))];
  return all.find((one) => one.package.version !== undefined || one.pool.exists) ?? supposed;
}

/** Runs PHP for web servers. By hand, since which packages it needs is for its configuration and its version to say. */
export const phpFpm = defineTaskserv({
  name: 'php-fpm',
  category: 'web',
  holds: [],
  description: 'Runs PHP for a web server on the same host.',
  versions: VERSIONS,
  supports: { os: ['debian'] },
  config: phpFpmConfig,
  uses: () => [],
  // The host's version is certain only when its release is known. A removal names no version.
  facts: ({ extensions }, version = VERSIONS.default): Known => ({
    ...factsOf(version, extensions),
    client: debian('libfcgi-bin'),
    ...Object.fromEntries(
      VERSIONS.supported
        .filter((other) => other !== version)
        .flatMap((other) => Object.entries(factsOf(other, extensions)).map(([name, one]) => [`${other} ${name}`, one])),
    ),
  }),
  installed: (found) => upstreamVersion(ofInstalled(found).package.version),

  plan(config, found, { version }) {
    const own = ofVersion(found, version);
    const before = [
      ...[own.package, ...own.extensions, found.client].flatMap((one) => ensurePackage(one)),
      ...ensureFile(own.pool, { content: poolConf(config, version) }),
    ];
    const reads = [poolOf(version)];
    const wanted = { state: 'running' as const, enabled: true, change: gentlestChange(own.unit, before, reads), reads };
    const service = ensureService(own.unit, wanted, before);
    return [...before, ...checkFirst('Check the configuration of php-fpm', sh`${`php-fpm${version}`} -t`, service)];
  },

  health: () => [
    {
      title: 'php-fpm answers',
      command: `export REQUEST_METHOD=GET ${sh`SCRIPT_NAME=${PING} SCRIPT_FILENAME=${PING}`}
${sh`timeout 4 cgi-fcgi -bind -connect ${SOCKET}`}`,
      expect: 'pong',
    },
  ],

  remove(_, found: FoundFacts<Known>) {
    const own = ofInstalled(found);
    return [
      ...ensureService(own.unit, { state: 'stopped', enabled: false }),
      ...ensureNoPackage(own.package),
      ...ensureNoFile(own.pool),
    ];
  },
});
