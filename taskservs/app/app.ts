import {
  artifactsIn,
  debian,
  defineTaskserv,
  type Exclusive,
  ensureArtifact,
  ensureFile,
  ensureNoArtifact,
  ensureNoFile,
  ensurePackage,
  ensureService,
  type Fact,
  type FoundArtifact,
  FoundFile,
  type FoundPackage,
  type FoundService,
  fact,
  file,
  keepsRunning,
  type ListenAddress,
  listeningOn,
  locateApp,
  type PlanContext,
  type Step,
  sh,
  systemd,
} from '../../sdk/index.js';
import { accountSteps } from './account.js';
import { type AppConfig, appConfig, instanceConfig } from './app-config.js';
import { companionsOf } from './companions.js';
import { envFile, urlOf } from './env-file.js';
import { artifactOf, folderOf, releaseOf } from './release.js';
import { source } from './source-config.js';
import { markOf, unitFile, unitFileOf, unitOf } from './unit-file.js';

type AppFacts = {
  releases: Fact<FoundArtifact[]>;
  account: Fact<FoundFile>;
  hasAccount: Fact<boolean>;
  env: Fact<FoundFile>;
  /** Units of applications that are there, whatever the configuration names: also those of a former name. */
  units: Fact<string[]>;
  [package_: `package ${string}`]: Fact<FoundPackage>;
  [unit: `unit ${string}`]: Fact<FoundService>;
  [file: `file ${string}`]: Fact<FoundFile>;
};

const unitsOf = ({ name, processes }: AppConfig): string[] => Object.keys(processes).map((process) => unitOf(name, process));

/** Files that a unit reads: its own file and the environment. */
const readsOf = (name: string, unit: string): string[] => [unitFileOf(unit), locateApp(name).env];

/**
 * Names that no other application of a server may use.
 *
 * The units of `a` and `b-c` have the names of those of `a-b` and `c`. The transient units of builds and migrations
 * have the names of an application `build` or `migrate`.
 */
const exclusiveOf = (config: AppConfig): Exclusive => ({
  files: [
    locateApp(config.name).env,
    ...[...unitsOf(config), unitOf('build', config.name), unitOf('migrate', config.name)].map(unitFileOf),
  ].map((path) => ({
    ...{ path, at: ['name'] },
    suggestion: 'give one of the applications, or its processes, other names',
  })),
});

/**
 * One's own application: releases side by side, and a unit for each process.
 *
 * @param instance which it is of several on a server; the name of the application follows from it
 */
const appOf = (instance?: string) => {
  const named = (taskserv: string): string => (instance === undefined ? taskserv : `${taskserv}@${instance}`);
  const listening = (context: Pick<PlanContext, 'host' | 'peers'>): ListenAddress => listeningOn(named('app'), 'http', context);
  return defineTaskserv<AppConfig, AppFacts>({
    name: named('app'),
    category: 'applications',
    holds: ({ name }) => [locateApp(name).data],
    description: 'An application of your own, from Git, a directory or an archive, whose processes run as systemd units.',
    versions: { default: '1', supported: ['1'], source: 'own' },
    after: [named('app-build'), named('app-migrate')],
    companions: { names: [named('app-build'), named('app-migrate')], of: (on) => companionsOf(on, named) },
    config: instance === undefined ? appConfig : instanceConfig(instance),
    sources: source,
    release: (config: AppConfig) => releaseOf(config),
    endpoints: ({ port }) => (port === undefined ? [] : [{ name: 'http', port }]),
    uses: () => [],
    exclusive: exclusiveOf,
    facts: (config): AppFacts => {
      const { name, packages } = config;
      const { releases, account, env, own } = locateApp(name);
      const units = unitsOf(config);
      return {
        releases: artifactsIn(releases),
        account: file(account),
        hasAccount: fact(sh`getent passwd ${own} >/dev/null`, ({ exit }) => exit === 0, false),
        env: file(env),
        units: fact(
          sh`cd /etc/systemd/system && grep -lsxF -e ${markOf(instance)} app-*.service | sed 's/[.]service$//'`,
          ({ stdout }) => stdout.split('\n').filter(Boolean),
          [],
        ),
        ...Object.fromEntries(packages.map((one) => [`package ${one}`, debian(one)])),
        ...Object.fromEntries(units.map((unit) => [`file ${unit}`, file(unitFileOf(unit))])),
        ...Object.fromEntries(units.map((unit) => [`unit ${unit}`, systemd(unit, readsOf(name, unit))])),
      };
    },
    installed: ({ units, releases }) => (units.length > 0 && releases.length > 0 ? '1' : undefined),

    plan(config, found, context) {
      const { name, processes, packages, keep } = config;
      const to = folderOf(config);
      const env = ensureFile(found.env, { content: envFile(config, listening(context)), mode: '0600' });
      const before: Step[] = [
        ...packages.flatMap((one) => ensurePackage(found[`package ${one}`] ?? { name: one })),
        ...accountSteps(name, found),
        ...ensureArtifact(found.releases, artifactOf(config)),
        ...env,
      ];
      const files = Object.keys(processes).flatMap((process) => {
        const unit = unitOf(name, process);
        return ensureFile(fileFound(found, unit), { content: unitFile(config, process, instance) });
      });
      const running = unitsOf(config).flatMap((unit) => {
        const service = found[`unit ${unit}`] ?? { name: unit, active: false, enabled: false, stale: true };
        return ensureService(service, { state: 'running', enabled: true, reads: readsOf(name, unit) }, [...env, ...files]);
      });
      const unwanted = found.units.filter((unit) => !unitsOf(config).includes(unit));
      const former = found.releases.filter((one) => one.to !== to).slice(keep);
      return [...before, ...files, ...running, ...unwanted.flatMap(removeUnit), ...former.flatMap(ensureNoArtifact)].map((step) =>
        'artifact' in step && step.artifact.state === 'present'
          ? { ...step, title: `${step.artifact.from ? 'Bring' : 'Fetch'} the release ${releaseOf(config)} of ${name}` }
          : step,
      );
    },

    health: (config, context) => [
      ...unitsOf(config).map((unit) =>
        keepsRunning(`${unit} runs`, unit, { shown: config.port !== undefined && unitsOf(config).length === 1 }),
      ),
      ...(config.port === undefined ? [] : [{ title: `${config.name} answers`, http: urlOf(config, listening(context)) }]),
    ],

    remove: (_, found) => [
      ...found.units.flatMap(removeUnit),
      ...ensureNoFile(found.env),
      ...ensureNoFile(found.account),
      ...found.releases.flatMap(ensureNoArtifact),
    ],
  });
};

const fileFound = (found: Record<`file ${string}`, FoundFile>, unit: string): FoundFile =>
  found[`file ${unit}`] ?? new FoundFile(unitFileOf(unit), { exists: false });

/** The unit's state is unknown and does not matter: the unit is stopped. */
const removeUnit = (unit: string): Step[] => [
  { title: `Stop ${unit}`, service: { name: unit, state: 'stopped', enabled: false } },
  { title: `Remove ${unitFileOf(unit)}`, absent: { path: unitFileOf(unit) } },
];

/** One's own application, or one of several on a server: `app@shop`. */
export const app = { ...appOf(), instance: appOf };
