import {
  absentValue,
  debian,
  debianVersions,
  defineTaskserv,
  ensureFile,
  ensureService,
  type Fact,
  type FoundFacts,
  type FoundFile,
  type FoundPackage,
  fact,
  file,
  keepsRunning,
  type Step,
  sh,
  systemd,
  upstreamVersion,
} from '../../sdk/index.js';
import { environmentFile, environmentPath, MARK, runsBy, serviceFile, servicePath, timerFile, timerPath } from './unit-files.js';
import { type Unit, type UnitsConfig, unitsConfig } from './units-config.js';

type FoundUnit = ReturnType<typeof systemd> extends Fact<infer T> ? T : never;

/** Facts of each wanted unit's files and states, and the fixed facts. */
type UnitsFacts = {
  package: Fact<FoundPackage>;
  /** Paths of the files that were made here, those of units included that are no longer wanted. */
  made: Fact<string[]>;
  [file: `file ${string}`]: Fact<FoundFile>;
  [unit: `unit ${string}`]: Fact<FoundUnit>;
};

const MADE = /^\/etc\/(systemd\/system|provisioning-units)\/[a-z][a-z0-9-]{0,47}\.(service|timer|env)$/;

const madeFact = () =>
  fact<string[]>(
    sh`grep -lsxF ${MARK} /etc/systemd/system/*.service /etc/systemd/system/*.timer /etc/provisioning-units/*.env`,
    ({ stdout }) => stdout.split('\n').filter((path) => MADE.test(path)),
    [],
  );

function filesOf(unit: Unit): { path: string; wanted: Parameters<typeof ensureFile>[1] }[] {
  const { name, environment, schedule } = unit;
  return [
    ...(Object.keys(environment).length > 0
      ? [{ path: environmentPath(name), wanted: { content: environmentFile(unit), mode: '0600' } }]
      : []),
    { path: servicePath(name), wanted: { content: serviceFile(unit) } },
    ...(schedule === undefined ? [] : [{ path: timerPath(name), wanted: { content: timerFile(unit) } }]),
  ];
}

const pathsOf = (unit: Unit): string[] => filesOf(unit).map(({ path }) => path);

/** Those that came with a package are not ours to replace. */
function checkName(name: string): Step {
  const theirs = `/lib/systemd/system/${name}.service`;
  const run = sh`[ ! -e ${theirs} ] || { echo ${`a package has a unit ${name}: name this one otherwise`} >&2; exit 1; }`;
  return { title: `Check that no package has a unit ${name}`, run, undo: ':' };
}

const stop = (name: string): Step => ({ title: `Stop ${name}`, service: { name, state: 'stopped', enabled: false } });

/** Stops the units of these files, and takes the files away. */
function drop(paths: string[]): Step[] {
  if (paths.length === 0) return [];
  const units = paths.filter((path) => !path.endsWith('.env')).map((path) => path.slice(path.lastIndexOf('/') + 1));
  // Timers first: they would start the service again.
  const inOrder = [...units].sort((a, b) => Number(b.endsWith('.timer')) - Number(a.endsWith('.timer')) || (a < b ? -1 : 1));
  const reload = 'systemctl daemon-reload';
  return [
    ...inOrder.map(stop),
    ...paths.map((path): Step => ({ title: `Remove ${path}`, absent: { path } })),
    { title: 'Let systemd take in that they are gone', run: reload, undo: reload },
  ];
}

function unitSteps(unit: Unit, found: FoundFacts<UnitsFacts>): Step[] {
  const { name, schedule } = unit;
  const before = filesOf(unit).flatMap(({ path, wanted }) => ensureFile(found[`file ${path}`] ?? absentValue(file(path)), wanted));
  const state = found[`unit ${name}`] ?? absentValue(systemd(runsBy(unit)));
  const made = (path: string) => found.made.includes(path);
  const isNew = !made(servicePath(name));
  // It kept running until now, and would also be started at boot.
  const getsTimer = schedule !== undefined && !isNew && !made(timerPath(name));
  return [
    ...(isNew ? [checkName(name)] : []),
    ...(getsTimer ? [stop(`${name}.service`)] : []),
    ...before,
    ...ensureService(state, { state: 'running', enabled: true, reads: pathsOf(unit) }, before),
  ];
}

/** Services and timers of one's own. */
export const systemdUnits = defineTaskserv<UnitsConfig, UnitsFacts>({
  name: 'systemd-units',
  category: 'system',
  holds: ({ units }) => units.map(({ name }) => `/var/lib/${name}`),
  description: 'Your own programs as sandboxed services, or on a schedule.',
  versions: debianVersions({ 12: '252', 13: '257' }, { package: 'systemd' }),
  supports: { os: ['debian'] },
  after: ['users'],
  config: unitsConfig,
  uses: () => [],
  // The program decides its listen address: mostly loopback or all addresses, rarely one.
  endpoints: ({ units }) =>
    units.flatMap(({ name, port }) => (port === undefined ? [] : [{ name, port, loopback: true as const }])),
  facts: ({ units }) => ({
    package: debian('systemd'),
    made: madeFact(),
    ...Object.fromEntries(units.flatMap(pathsOf).map((path) => [`file ${path}`, file(path)])),
    ...Object.fromEntries(units.map((unit) => [`unit ${unit.name}`, systemd(runsBy(unit), pathsOf(unit))])),
  }),
  installed: ({ made, package: { version } }) => (made.length > 0 ? upstreamVersion(version) : undefined),

  plan({ units }, found) {
    const wanted = units.flatMap(pathsOf);
    return [...drop(found.made.filter((path) => !wanted.includes(path))), ...units.flatMap((unit) => unitSteps(unit, found))];
  },

  health: ({ units }) =>
    units.flatMap((unit) => [
      unit.schedule === undefined
        ? keepsRunning(`${unit.name} is on`, unit.name, { shown: false })
        : { title: `${unit.name} is on`, command: sh`systemctl is-active ${runsBy(unit)}`, expect: 'active' },
      ...(unit.schedule === undefined
        ? []
        : [
            {
              title: `the last run of ${unit.name} did not fail`,
              command: sh`systemctl show -p Result --value ${`${unit.name}.service`}`,
              expect: 'success',
            },
          ]),
    ]),

  remove: (_, { made }) => drop(made),
});
