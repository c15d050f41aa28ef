import * as z from 'zod';
import {
  artifactsIn,
  confinedService,
  debian,
  defineTaskserv,
  ensureArtifact,
  ensureFile,
  ensureNoFile,
  ensurePackage,
  type Fact,
  type FoundArtifact,
  type FoundFile,
  type FoundPackage,
  fact,
  file,
  type HeldData,
  locateApp,
  NO_MACHINE_CREDENTIALS,
  type Step,
  sh,
} from '../../sdk/index.js';
import { accountSteps } from '../app/account.js';
import { appConfig } from '../app/app-config.js';
import { variablesFile } from '../app/env-file.js';
import { appName } from '../app/fields.js';
import { artifactOf, folderOf, releaseOf } from '../app/release.js';
import { literally } from '../app/transient.js';

const { source, build, artifact, release, migrate, env, packages, memory } = appConfig.shape;

const config = z
  .strictObject({
    name: appName().describe('Name of the application'),
    ...{ source, build, artifact, release, migrate: migrate.unwrap().describe('Command of the migration'), env, packages, memory },
  })
  .meta({
    examples: [{ name: 'shop', source: { git: 'https://git.example.org/shop.git', ref: 'main' }, migrate: 'node migrate.js' }],
  });

type MigrateFacts = {
  releases: Fact<FoundArtifact[]>;
  account: Fact<FoundFile>;
  hasAccount: Fact<boolean>;
  done: Fact<FoundFile>;
  /** The data that it migrated, as the note says it; nothing where the note is of a former release. */
  noted: Fact<string[]>;
  env: Fact<FoundFile>;
  [package_: `package ${string}`]: Fact<FoundPackage>;
};

const envOf = (name: string): string => `/etc/app-${name}.migrate.env`;
const doneOf = (parsed: z.output<typeof config>): string => `${locateApp(parsed.name).migrated}/${releaseOf(parsed)}`;

const nameOf = ({ taskserv, server, machine = '' }: HeldData): string => `${taskserv} ${server} ${machine}`;

/** Separator of a note about data that identifies itself. Another server may have that data now. */
const OWN = ' is ';

const noteOf = (command: string, data: readonly HeldData[]): string =>
  [
    command.replaceAll('\n', ' '),
    ...data.map((one) => `data ${nameOf(one)}${one.identity ? `${OWN}${one.identity}` : ''}`),
    '',
  ].join('\n');

/**
 * Reports whether some of the data is other data than the migrated data.
 *
 * The data's own identity decides. If it or the note has no identity, the server and the machine decide. A note of a
 * former release names no data: it counts for the data that was there.
 */
const isOther = (data: readonly HeldData[], noted: readonly string[]): boolean =>
  data.some((one) => {
    if (noted.length === 0) return one.begins;
    const own = noted.flatMap((line) => (line.startsWith(`${one.taskserv} `) ? line.split(OWN).slice(1) : []));
    if (one.identity && own.length > 0) return !own.includes(one.identity);
    return !noted.some((line) => line.split(OWN)[0] === nameOf(one));
  });

/** @param instance of `app` that it migrates for, where that is one */
const migrateOf = (instance = '') =>
  defineTaskserv({
    name: `app-migrate${instance}`,
    category: 'applications',
    holds: [],
    description:
      'Runs the migration of an application once for each release, before any server runs the release; added by an `app` with `migrate`.',
    versions: { default: '1', supported: ['1'], source: 'own' },
    after: [`app-build${instance}`, 'postgres', 'mariadb', 'redis'],
    config,
    worksOn: ['postgres', 'mariadb'],
    uses: () => [],
    facts: (parsed): MigrateFacts => {
      const { releases, account, own } = locateApp(parsed.name);
      // A source that was not resolved has no release.
      const note = parsed.source && !parsed.source.resolved ? locateApp(parsed.name).migrated : doneOf(parsed);
      return {
        releases: artifactsIn(releases),
        account: file(account),
        hasAccount: fact(sh`getent passwd ${own} >/dev/null`, ({ exit }) => exit === 0, false),
        done: file(note),
        noted: fact(sh`sed -n 's/^data //p' ${note} 2>/dev/null || true`, ({ stdout }) => stdout.split('\n').filter(Boolean), []),
        env: file(envOf(parsed.name)),
        ...Object.fromEntries(parsed.packages.map((one) => [`package ${one}`, debian(one)])),
      };
    },
    installed: ({ done }) => (done.exists ? '1' : undefined),

    plan(parsed, found, { heldData: data = [] }) {
      const { name, migrate, env, packages } = parsed;
      if (found.done.exists && !isOther(data, found.noted)) return ensureNoFile(found.env);
      const named = releaseOf(parsed);
      const steps: Step[] = [
        ...packages.flatMap((one) => ensurePackage(found[`package ${one}`] ?? { name: one })),
        ...accountSteps(name, found),
        ...ensureArtifact(found.releases, artifactOf(parsed)).map((step) => ({
          ...step,
          title: `${artifactOf(parsed).from ? 'Bring' : 'Fetch'} the release ${named} of ${name}`,
        })),
        ...ensureFile(found.env, { content: variablesFile({ RELEASE: named, ...env }), mode: '0600' }),
        {
          title: `Migrate to the release ${named} of ${name}: ${migrate.command}`,
          run: migration(parsed),
          // The migration is not undone: the former release must work with its result.
          undo: sh`systemctl stop ${`app-migrate-${name}.service`} 2>/dev/null || true`,
        },
        { title: `Remove ${envOf(name)}`, absent: { path: envOf(name) } },
        { title: `Note that ${named} is migrated to`, file: { path: doneOf(parsed), content: noteOf(migrate.command, data) } },
      ];
      return steps;
    },

    health: (parsed) => [{ title: `${parsed.name} is migrated`, command: sh`test -e ${doneOf(parsed)}` }],

    // The notes of other releases stay, as what they did to the data does.
    remove: (_, found) => [...ensureNoFile(found.env), ...ensureNoFile(found.done)],
  });

/** Migrates for a release of an application, on one server, before any that runs it changes. */
export const appMigrate = {
  ...migrateOf(),
  instance: (name: string) => migrateOf(`@${name}`),
};

/** As the application runs: its user, its environment, its sandbox. */
function migration(parsed: z.output<typeof config>): string {
  const { name, migrate, memory } = parsed;
  const { own, data } = locateApp(name);
  const properties = [
    `User=${own}`,
    `WorkingDirectory=${folderOf(parsed)}`,
    `StateDirectory=${own}`,
    `Environment=HOME=${data}`,
    `EnvironmentFile=${envOf(name)}`,
    `MemoryMax=${memory}`,
    `RuntimeMaxSec=${migrate.timeout}`,
    ...confinedService({ devices: false }),
    'CapabilityBoundingSet=',
    NO_MACHINE_CREDENTIALS,
  ];
  // By a pipe: the standard output of a step is a file of root's journal, which the application must not shorten.
  return sh`systemctl reset-failed ${`app-migrate-${name}.service`} 2>/dev/null || true
systemd-run --quiet --wait --pipe --collect --service-type=exec ${`--unit=app-migrate-${name}`} ${properties.map((one) => `--property=${one}`)} /bin/sh -c ${literally(migrate.command)} </dev/null 2>&1 | cat || { echo "the migration failed with code $?; no server was changed"; exit 1; }`;
}
