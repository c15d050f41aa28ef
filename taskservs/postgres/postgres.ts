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
  ensureTls,
  ensureWait,
  FoundFile,
  file,
  gentlestChange,
  listeningOn,
  type Step,
  sh,
  systemd,
  tlsFacts,
  tlsFiles,
  tlsHealth,
  tlsReads,
  upstreamVersion,
  waitFile,
} from '../../sdk/index.js';
import { type Cluster, clustersFact, clustersOf, currentOf, formerOf } from './clusters.js';
import { contentSteps } from './content-steps.js';
import { contentsFact, identityFact } from './contents.js';
import { moveOfPostgres } from './move.js';
import { type Places, placesOf } from './places.js';
import { listenOf, type PostgresConfig, postgresConfig } from './postgres-config.js';
import { hbaConf, settingsConf } from './postgres-files.js';
import { tlsOf } from './postgres-tls.js';
import { listKeptClusters, refuseWithoutFormer, removeFormer, upgradeSteps } from './upgrade-steps.js';

const DEFAULT = '15';

const CHECK = 'Check the settings of postgres';

/**
 * Whether the server takes connections, as `pg_isready` finds out: any answer will do, except that it is starting or
 * stopping. The shell sends the first message of the protocol itself, in a third of the time that `pg_isready` takes.
 */
const ready = (port: number): string => `none() { echo '127.0.0.1:${port} - no response'; exit 1; }
{ exec 3<>/dev/tcp/127.0.0.1/${port}; } 2>/dev/null || none
printf '\\0\\0\\0\\x17\\0\\3\\0\\0user\\0postgres\\0\\0' >&3
IFS= read -r -t 3 -N 1 kind <&3 || none
[ "$kind" = E ] && IFS= read -r -t 1 -d '' -N 2000 why <&3
case "$kind$why" in
  R* | E*) [[ "$why" != *C57P03* ]] || { echo 'rejecting connections'; exit 1; } ;;
  *) none ;;
esac
echo 'accepting connections'`;

/** The same where the server encrypts. That of any version answers for all; Debian's own `pg_isready` is a wrapper in Perl around it. */
const readyByTls = (port: number): string =>
  `for ready in /usr/lib/postgresql/*/bin/pg_isready; do :; done; PGGSSENCMODE=disable "$ready" -h 127.0.0.1 -p ${port}`;

/** Debian's unit ignores that the server does not start, so the settings are tried out before. */
const checkOf = ({ bin, data, etc }: Places): string =>
  sh`runuser -u postgres -- ${`${bin}/postgres`} -D ${data} -c ${`config_file=${etc}/postgresql.conf`} -C port >/dev/null`;

const readsOf = ({ unit, reads }: Places, { tls }: PostgresConfig): string[] => [...reads, ...tlsReads(tlsOf(unit), tls)];

/** Relational database. */
export const postgres = defineTaskserv({
  name: 'postgres',
  category: 'databases',
  holds: ['/var/lib/postgresql'],
  identity: identityFact,
  moveData: (_, context) => moveOfPostgres(context),
  description: 'Relational database: one server with its roles and databases.',
  versions: debianVersions({ 12: '15', 13: '17' }, { upgrades: 'to-any-newer', further: true, package: 'postgresql-{version}' }),
  supports: { os: ['debian'] },
  config: postgresConfig,
  uses: () => [],
  endpoints: (config) => {
    const local = listenOf(config, 'all').every((address) => ['localhost', '127.0.0.1', '::1'].includes(address));
    return [{ name: 'postgres', port: config.port, local }];
  },
  facts(config, version = DEFAULT) {
    const at = placesOf(version);
    return {
      package: debian(at.package),
      settings: file(at.settings),
      hba: file(at.hba),
      wait: file(waitFile(at.unit)),
      contents: contentsFact(config),
      ...tlsFacts(tlsOf(at.unit), config.tls),
      unit: systemd(at.unit, readsOf(at, config)),
      clusters: clustersFact(version),
    };
  },
  installed: (found) => upstreamVersion((currentOf(clustersOf(found)) ?? { package: found.package.version }).package),

  plan(config, found, context) {
    const { version, host } = context;
    const at = placesOf(version);
    const listening = config.listen || config.allow.length === 0 ? 'loopback' : listeningOn('postgres', 'postgres', context);
    const owner = 'postgres:postgres';
    const written = {
      settings: { content: settingsConf(config, listening), owner },
      hba: { content: hbaConf(config), mode: '0640', owner },
    };
    const certificate = ensureTls(tlsOf(at.unit), config.tls, found);
    const contents = contentSteps(config, found.contents, at);
    const clusters = clustersOf(found);
    const from = formerOf(clusters, version, host.name);
    if (from) {
      if (!config.keepFormer) refuseWithoutFormer(from, version, host.name);
      const settings = [
        ...certificate.first,
        ...certificate.files,
        ...ensureFile(new FoundFile(at.settings, { exists: false }), written.settings),
        ...ensureFile(new FoundFile(at.hba, { exists: false }), written.hba),
        ...ensureWait(found.wait, at.unit, listening),
      ];
      const check = { title: CHECK, run: checkOf(at), undo: ':' };
      return [...upgradeSteps({ from, to: at, port: config.port, package: found.package, settings, check }), ...contents];
    }
    const before = [
      ...certificate.first,
      ...ensurePackage(found.package),
      ...certificate.files,
      ...ensureFile(found.settings, written.settings),
      ...ensureFile(found.hba, written.hba),
      ...ensureWait(found.wait, at.unit, listening),
    ];
    const change = gentlestChange(found.unit, before, [at.hba, ...Object.values(tlsFiles('postgres'))]);
    const service = ensureService(found.unit, { state: 'running', enabled: true, change, reads: readsOf(at, config) }, before);
    const former = config.keepFormer ? [] : removeFormer(listKeptClusters(clusters, version));
    return [...before, ...checkFirst(CHECK, checkOf(at), service), ...contents, ...former];
  },

  health: ({ port, tls }) => [
    { title: 'postgres accepts connections', command: tls ? readyByTls(port) : ready(port), expect: 'accepting connections' },
    ...(tls ? tlsHealth('postgres', tls, { connect: `127.0.0.1:${port}`, starttls: 'postgres' }) : []),
  ],

  remove(_, found) {
    const installed = clustersOf(found).filter(({ ours, active, package: of }) => ours || (active && of !== undefined));
    const certificate = ensureTls(tlsOf(found.unit.name), undefined, found).files;
    if (installed.length > 0) return [...installed.flatMap(removeCluster), ...certificate];
    return [
      // The kept cluster makes the unit count as enabled even when its package is gone.
      ...(found.package.version || found.unit.active ? ensureService(found.unit, { state: 'stopped', enabled: false }) : []),
      ...ensureNoPackage(found.package),
      ...ensureNoFile(found.settings),
      ...ensureNoFile(found.wait),
      ...certificate,
    ];
  },
});

/** Removes a cluster, with the facts that need no version. */
function removeCluster({ version, package: installed, held, active, enabled, ours, waits }: Cluster): Step[] {
  const { package: name, unit, settings } = placesOf(version);
  return [
    ...(installed || active
      ? ensureService({ name: unit, active, enabled, stale: false }, { state: 'stopped', enabled: false })
      : []),
    ...ensureNoPackage({ name, version: installed, held }),
    ...ensureNoFile(new FoundFile(settings, { exists: ours })),
    ...ensureNoFile(new FoundFile(waitFile(unit), { exists: waits })),
  ];
}
