import {
  checkFirst,
  debian,
  defineTaskserv,
  ensureFile,
  ensureNoFile,
  ensureNoPackage,
  ensurePackage,
  ensureService,
  ensureTls,
  ensureWait,
  file,
  gentlestChange,
  listeningOn,
  sh,
  systemd,
  tlsFacts,
  tlsFiles,
  tlsHealth,
  tlsReads,
  upstreamVersion,
  waitFile,
} from '../../sdk/index.js';
import { contentSteps } from './content-steps.js';
import { contentsFact } from './contents.js';
import { listenOf, postgresConfig } from './postgres-config.js';
import { hbaConf, settingsConf } from './postgres-files.js';
import { tlsOf } from './postgres-tls.js';

const UNIT = 'postgresql@15-main';
const ETC = '/etc/postgresql/15/main';
const SETTINGS = `${ETC}/conf.d/provisioning.conf`;
const HBA = `${ETC}/pg_hba.conf`;
const READS = [`${ETC}/postgresql.conf`, SETTINGS, HBA];
const TLS = tlsOf(UNIT);

/** Debian's own `pg_isready` is a wrapper in Perl around this one. */
const PG_ISREADY = '/usr/lib/postgresql/15/bin/pg_isready';

/** Debian's unit ignores that the server does not start, so the settings are tried out before. */
const CHECK = sh`runuser -u postgres -- /usr/lib/postgresql/15/bin/postgres -D /var/lib/postgresql/15/main -c ${`config_file=${ETC}/postgresql.conf`} -C port >/dev/null`;

/** Relational database. */
export const postgres = defineTaskserv({
  name: 'postgres',
  category: 'databases',
  description: 'Relational database: one server with its roles and databases.',
  versions: { default: '15', supported: ['15'], source: 'debian' },
  supports: { os: ['debian'] },
  config: postgresConfig,
  uses: () => [],
  endpoints: (config) => {
    const local = listenOf(config, 'all').every((address) => ['localhost', '127.0.0.1', '::1'].includes(address));
    return [{ name: 'postgres', port: config.port, local }];
  },
  facts: (config) => ({
    package: debian('postgresql-15'),
    settings: file(SETTINGS),
    hba: file(HBA),
    wait: file(waitFile(UNIT)),
    contents: contentsFact(config),
    ...tlsFacts(TLS, config.tls),
    unit: systemd(UNIT, [...READS, ...tlsReads(TLS, config.tls)]),
  }),
  installed: (found) => upstreamVersion(found.package.version),

  plan(config, found, context) {
    const listening = config.listen || config.allow.length === 0 ? 'loopback' : listeningOn('postgres', 'postgres', context);
    const owner = 'postgres:postgres';
    const certificate = ensureTls(TLS, config.tls, found);
    const before = [
      ...certificate.first,
      ...ensurePackage(found.package),
      ...certificate.files,
      ...ensureFile(found.settings, { content: settingsConf(config, listening), owner }),
      ...ensureFile(found.hba, { content: hbaConf(config), mode: '0640', owner }),
      ...ensureWait(found.wait, UNIT, listening),
    ];
    const change = gentlestChange(found.unit, before, [HBA, ...Object.values(tlsFiles('postgres'))]);
    const reads = [...READS, ...tlsReads(TLS, config.tls)];
    const service = ensureService(found.unit, { state: 'running', enabled: true, change, reads }, before);
    return [...before, ...checkFirst('Check the settings of postgres', CHECK, service), ...contentSteps(config, found.contents)];
  },

  health: ({ port, tls }) => [
    { title: 'postgres accepts connections', command: sh`${PG_ISREADY} -h 127.0.0.1 -p ${port}`, expect: 'accepting connections' },
    ...(tls ? tlsHealth('postgres', tls, { connect: `127.0.0.1:${port}`, starttls: 'postgres' }) : []),
  ],

  remove: (_, found) => [
    // The kept cluster makes the unit count as enabled even when its package is gone.
    ...(found.package.version || found.unit.active ? ensureService(found.unit, { state: 'stopped', enabled: false }) : []),
    ...ensureNoPackage(found.package),
    ...ensureNoFile(found.settings),
    ...ensureNoFile(found.wait),
    ...ensureTls(TLS, undefined, found).files,
  ],
});
