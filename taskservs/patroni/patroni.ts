import {
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
  type FoundFile,
  type FoundPackage,
  file,
  gentlestChange,
  listeningOn,
  MANAGED_FILE_HEADER,
  type PlanContext,
  type SecretRef,
  type Step,
  systemd,
  type Text,
  tlsFacts,
  tlsFiles,
  tlsHealth,
  tlsReads,
  upstreamVersion,
  waitFile,
} from '../../sdk/index.js';
import { BACKUP_FACTS, backupHealth, ensureBackupFiles, ensureBackupTimer, openRepository } from './backups.js';
import { clusterSettings, isSameJson, type Json } from './cluster-settings.js';
import { configYml } from './config-yml.js';
import { contentSteps, contentsFact, ownPasswords } from './contents.js';
import { type FoundMember, identityFact, isUpgrade, memberFact } from './member.js';
import { type PatroniConfig, patroniConfig } from './patroni-config.js';
import { createGroup } from './patroni-group.js';
import { API_TLS, CONF, ETCD_TLS, NO_MAIN, TLS, UNIT, UPGRADE_PROGRAM } from './places.js';
import { act, giveSettings } from './program.js';
import { findEtcd, refuseOtherCluster } from './refusals.js';
import { findNamespace, upgradeSteps } from './upgrade.js';

const DEFAULT = '15';

const readsOf = ({ etcdTls, apiTls, tls }: PatroniConfig): string[] => [
  CONF,
  ...(etcdTls ? Object.values(ETCD_TLS) : []),
  ...(apiTls ? Object.values(API_TLS) : []),
  ...tlsReads(TLS, tls),
];

/** Packages by version: a removal does not know which one it was. */
const packages = { 'postgresql-15': debian('postgresql-15'), 'postgresql-17': debian('postgresql-17') };

type FoundPackages = Record<keyof typeof packages, FoundPackage>;

const listPackages = (found: FoundPackages): FoundPackage[] => [found['postgresql-15'], found['postgresql-17']];

/** The package of the version that runs. After an upgrade the former one stays beside it. */
function findInstalled({ member, ...found }: FoundPackages & { member: FoundMember }): FoundPackage | undefined {
  const installed = listPackages(found).filter(({ version }) => version !== undefined);
  return installed.find(({ name }) => name === `postgresql-${member.version}`) ?? installed[0];
}

/** PostgreSQL that fails over by itself. */
export const patroni = defineTaskserv({
  name: 'patroni',
  category: 'databases',
  holds: ['/var/lib/postgresql'],
  identity: identityFact,
  description: 'PostgreSQL on several servers: one leads, the others follow, and Patroni lets one take over when it is lost.',
  versions: debianVersions({ 12: '15', 13: '17' }, { upgrades: 'to-any-newer', further: true, package: 'postgresql-{version}' }),
  supports: { os: ['debian'] },
  after: ['etcd'],
  conflicts: ['postgres'],
  config: patroniConfig,
  uses: () => ['etcd', 'patroni', 'postgres'],
  group: createGroup(DEFAULT),
  endpoints: ({ port, apiPort }) => [
    { name: 'postgres', port },
    { name: 'patroni', port: apiPort },
    { name: 'metrics', port: apiPort, path: '/metrics' },
  ],
  facts: (config, version = DEFAULT) => ({
    ...packages,
    patroni: debian('patroni'),
    etcdClient: debian('python3-etcd'),
    ...BACKUP_FACTS,
    noMain: file(NO_MAIN),
    upgradeProgram: file(UPGRADE_PROGRAM),
    certificate: file(ETCD_TLS.certificate),
    key: file(ETCD_TLS.key),
    authority: file(ETCD_TLS.authority),
    apiCertificate: file(API_TLS.certificate),
    apiKey: file(API_TLS.key),
    apiAuthority: file(API_TLS.authority),
    config: file(CONF),
    wait: file(waitFile(UNIT)),
    member: memberFact(version),
    contents: contentsFact(config, version),
    ...tlsFacts(TLS, config.tls),
    unit: systemd(UNIT, readsOf(config)),
  }),
  installed: (found) => upstreamVersion(found.patroni.version && findInstalled(found)?.version),

  plan(config, found, context) {
    const { version, host } = context;
    refuseOtherCluster(config, found.member, version, host.name);
    const etcd = findEtcd(context);
    const from = { patroni: found.patroni.version, release: host.release };
    const settingsOf = (closed: boolean) => clusterSettings(config, version, listMembers(context).length < 2, { closed, ...from });
    const settings = settingsOf(false);
    const postgres = listeningOn('patroni', 'postgres', context);
    const content = configYml(config, {
      ...{ host, version, etcd, settings, postgres },
      namespace: findNamespace(found.member, context),
      api: listeningOn('patroni', 'patroni', context),
    });
    const own = { mode: '0640', owner: 'root:postgres' };
    const certificate = ensureTls(TLS, config.tls, found);
    const pem = (one: FoundFile, ref: SecretRef | undefined) =>
      ref ? ensureFile(one, { content: [ref, '\n'] as Text, ...own }) : ensureNoFile(one);
    const { etcdTls, apiTls } = config;
    const certificates = [
      ...(['certificate', 'key', 'authority'] as const).flatMap((field) => pem(found[field], etcdTls?.[field])),
      ...pem(found.apiCertificate, apiTls?.certificate),
      ...pem(found.apiKey, apiTls?.key),
      ...pem(found.apiAuthority, apiTls?.authority),
      // A look at the REST API uses it.
      ...(apiTls && !config.tls ? ensurePackage(found.tlsOpenssl) : []),
    ];
    const wanted = `postgresql-${version}`;
    const packageSteps = [
      ...certificate.first,
      ...ensureFile(found.noMain, { content: `${MANAGED_FILE_HEADER}\ncreate_main_cluster = false\n` }),
      ...listPackages(found).flatMap((one) => (one.name === wanted ? ensurePackage(one) : [])),
      ...ensurePackage(found.patroni),
      ...ensurePackage(found.etcdClient),
      ...ownPasswords(config, found.contents),
    ];
    const files = [
      ...certificates,
      ...certificate.files,
      ...ensureFile(found.config, { content, ...own }),
      ...ensureWait(found.wait, UNIT, postgres),
    ];
    const before = [...packageSteps, ...files];
    const change = gentlestChange(found.unit, before, [
      CONF,
      ...Object.values(API_TLS),
      NO_MAIN,
      ...Object.values(tlsFiles(TLS.name)),
    ]);
    const service = ensureService(found.unit, { state: 'running', enabled: true, change, reads: readsOf(config) }, before);
    const backups = ensureBackupFiles(config.backups, found, { cluster: config.cluster, version, port: config.port });
    if (isUpgrade(found.member, version))
      return [
        ...upgradeSteps(config, {
          ...{ member: found.member, context, packages: packageSteps, files: [...files, ...backups] },
          program: found.upgradeProgram,
          ...{ settings, closed: settingsOf(true), reads: readsOf(config) },
          openRepository: config.backups ? [openRepository] : [],
        }),
        ...contentSteps(config, found.contents),
        ...ensureBackupTimer(config.backups, found, []),
      ];
    return [
      ...keepLead(found.member, listMembers(context)),
      ...before,
      ...backups,
      // The member that leads hands over before it restarts, so it must begin the repository before that, too.
      ...(config.backups && backups.length > 0 && found.unit.active ? [openRepository] : []),
      ...inForce(service, found.unit.active),
      ...settingsSteps(config, found.member, settings, service),
      ...contentSteps(config, found.contents),
      ...ensureBackupTimer(config.backups, found, backups),
    ];
  },

  health: ({ port, tls, healthyLag, backups }) => [
    { title: 'PostgreSQL leads the cluster, or follows its leader', command: act('healthy', healthyLag), expect: 'healthy' },
    ...(tls ? tlsHealth(TLS.name, tls, { connect: `127.0.0.1:${port}`, starttls: 'postgres' }) : []),
    ...backupHealth(backups),
  ],

  remove: (_, found) => [
    ...ensureBackupTimer(undefined, found, []),
    ...ensureService(found.unit, { state: 'stopped', enabled: false }),
    ...ensureNoPackage(found.patroni),
    ...listPackages(found).flatMap(ensureNoPackage),
    ...[
      found.config,
      found.certificate,
      found.key,
      found.authority,
      found.apiCertificate,
      found.apiKey,
      found.apiAuthority,
      found.noMain,
      found.upgradeProgram,
      found.wait,
    ].flatMap(ensureNoFile),
    ...ensureTls(TLS, undefined, found).files,
  ],
});

/** Before a member that runs is restarted, another one takes the lead. After each start the step waits until it takes part. */
function inForce(service: Step[], active: boolean): Step[] {
  const [step] = service;
  if (!step || !('service' in step)) return [];
  const restarts = active && step.service.change !== 'reload';
  if (active && !restarts) return service;
  return [
    ...(restarts
      ? [{ title: 'Let another member lead during the restart', run: act('hand-over'), undo: ':', keepsServing: true as const }]
      : []),
    ...service,
    { title: 'Wait until the member leads or follows', run: act('joined'), undo: ':', keepsServing: true as const },
  ];
}

/** Settings of the cluster that differ in etcd, and a restart of PostgreSQL if something takes effect only by that. */
function settingsSteps({ cluster }: PatroniConfig, member: FoundMember, settings: Json, service: Step[]): Step[] {
  const former = member.settings;
  const differs = former !== undefined && !isSameJson(former, settings);
  const write: Step = {
    title: `Write the settings of the cluster ${cluster} to etcd`,
    run: giveSettings(),
    stdin: `${JSON.stringify(settings)}\n`,
    undo: giveSettings(JSON.stringify(former)),
  };
  const restart: Step = {
    title: 'Restart PostgreSQL if its settings or its programs need it',
    run: act('restart'),
    undo: ':',
    // It waits for another member that can lead.
    keepsServing: true,
  };
  const mayNeed = differs || member.pendingRestart || member.newerInstalled || (member.answers && service.length > 0);
  return [...(differs ? [write] : []), ...(mayNeed ? [restart] : [])];
}

/** Servers of the group's members where they are known, else those of the definition. */
const listMembers = ({ group, peers }: PlanContext): string[] => [
  ...new Set((group?.members ?? peers.filter(({ taskserv }) => taskserv === 'patroni')).map(({ server }) => server)),
];

/**
 * A member that leaves the definition must not lead any more when load balancers forget it. Its machine goes last, so
 * those that stay take the lead before.
 */
function keepLead({ members }: FoundMember, staying: readonly string[]): Step[] {
  const leader = members.find(({ leads }) => leads);
  if (!leader || staying.includes(leader.name)) return [];
  return [
    {
      title: `Let a member that stays lead instead of ${leader.name}`,
      run: act('hand-over', leader.name),
      undo: ':',
      keepsServing: true,
    },
  ];
}
