import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { mustBeInstalled, refuseHeld, scriptInstalledAmong } from '../../../core/host/apt.js';
import { scriptInstalledIn } from '../../../core/host/before.js';
import { absentValues, type CommandOutput, debian, type FoundPackage, file } from '../../../core/host/facts.js';
import { quote } from '../../../core/host/shell.js';
import type { Step } from '../../../core/host/step.js';
import { ensureNoPackage, ensurePackage } from '../../../core/taskserv/plans.js';
import type { Taskserv } from '../../../core/taskserv/taskserv.js';
import { clustersFact } from '../../../taskservs/postgres/clusters.js';
import { modules } from '../../../test/support/modules.js';
import { factValue } from './found.js';
import { parseLook } from './parse-look.js';

/** dpkg's status of a package: wanted, present, and whether it must be installed again. */
const WANTED = { u: 'unknown', i: 'install', h: 'hold', r: 'deinstall', p: 'purge' };
const IS = { n: 0, c: 0, H: 0, U: 0, F: 0, W: 0, t: 0, i: 1 };
const STATES = Object.keys(WANTED).flatMap((wanted) =>
  Object.entries(IS).flatMap(([is, installed]) =>
    [' ', 'R'].map((error) => ({ status: `${wanted}${is}${error}`, wanted, installed: installed === 1, held: wanted === 'h' })),
  ),
);

const NAME = 'jq';

/** `dpkg-query` for a single package with the status in `$STATUS`. */
const DPKG_QUERY = `dpkg-query() {
  local format=\${3//'\\n'/$'\\n'}
  format=\${format//'\${Package}'/jq} format=\${format//'\${Version}'/1.6-2.1} format=\${format//'\${Provides}'/}
  printf %s "\${format//'\${db:Status-Abbrev}'/$STATUS}"
}
apt-get() { echo "apt-get $*"; }
apt-mark() { echo "apt-mark $*"; }
systemctl() { echo active; }`;

/** Runs a script as a host does, once with each status. */
function underEach(script: string): CommandOutput[] {
  const body = `check() { :\n${script}\n}`;
  const lines = STATES.map(({ status }) => `STATUS=${quote(status)}; ( set -euo pipefail; check ) 2>&1; printf '\\0%s\\0' $?`);
  const { stdout } = spawnSync('bash', ['--norc'], { input: [DPKG_QUERY, body, ...lines].join('\n'), encoding: 'utf8' });
  const parts = stdout.split('\0');
  return STATES.map((_, index) => ({ stdout: parts[2 * index] ?? '', exit: Number(parts[2 * index + 1]) }));
}

const byStatus = <T>(of: (state: (typeof STATES)[number], index: number) => T) =>
  Object.fromEntries(STATES.map((state, index) => [state.status, of(state, index)]));

const foundAs = (status: string): FoundPackage => {
  const facts = [debian(NAME)];
  const { facts: said } = parseLook({ facts, health: [] }, `P ${NAME} ${status} 1.6-2.1\nD 0\nE\n`);
  return factValue(debian(NAME), said[0] as CommandOutput, String) as FoundPackage;
};

const packages = modules.taskservs.packages as unknown as Taskserv<unknown>;
const context = { host: { name: 'box' }, peers: [], version: '1' } as never;

/** The steps of a definition that says this of the package, on a host that has it as found; or why it is refused. */
function stepsFor(how: unknown, found: FoundPackage): string[] {
  const config = { packages: { [NAME]: how }, after: [] };
  const facts = absentValues({ manifest: file('/m'), pins: file('/p') });
  try {
    const steps = packages.plan(config, { ...facts, [`package ${NAME}`]: found } as never, context) as Step[];
    return steps.flatMap((step) => ('package' in step ? [`${step.package.state}`] : 'run' in step ? [step.title] : []));
  } catch (error) {
    return [(error as { details: { why: string } }).details?.why ?? (error as Error).message];
  }
}

test('a look takes a package for installed by the second letter of its status', () => {
  expect(byStatus(({ status }) => foundAs(status))).toEqual(
    byStatus(({ installed, held }) => ({
      name: NAME,
      version: installed ? '1.6-2.1' : undefined,
      ...(installed && held && { held: true }),
    })),
  );
  expect(byStatus(({ status }) => ensurePackage(foundAs(status)).length)).toEqual(byStatus(({ installed }) => (installed ? 0 : 1)));
  expect(byStatus(({ status }) => ensureNoPackage(foundAs(status)).map(({ title }) => title))).toEqual(
    byStatus(({ installed, held }) =>
      !installed ? [] : [held ? 'Keep the package jq, which is on hold on the host' : 'Remove the package jq'],
    ),
  );
});

test.each([
  { how: 'present', installed: [], held: [], missing: ['present'] },
  {
    how: 'absent',
    installed: ['Check that nothing else needs the package jq', 'absent'],
    held: [expect.stringContaining('jq is on hold')],
    missing: [],
  },
  { how: { version: '1.6-2.1' }, installed: [], held: [], missing: ['present'] },
  {
    how: { version: '1.7-1' },
    installed: ['Change the package jq from 1.6-2.1 to 1.7-1'],
    held: [expect.stringContaining('jq is on hold')],
    missing: ['present'],
  },
])('packages decides $how by the same letter, and names a hold', ({ how, ...expected }) => {
  expect(byStatus(({ status }) => stepsFor(how, foundAs(status)))).toEqual(
    byStatus((state) => (!state.installed ? expected.missing : state.held ? expected.held : expected.installed)),
  );
});

test('scripts on the host decide by the same letter', () => {
  const among = underEach(scriptInstalledAmong());
  const health = (how: unknown) => {
    const [check] = packages.health({ packages: { [NAME]: how }, after: [] }, context);
    return underEach((check as { command: string }).command);
  };
  const [there, absent, must, held] = [
    health('present'),
    health('absent'),
    underEach(mustBeInstalled(NAME)),
    underEach(refuseHeld(NAME)),
  ];
  const removed = underEach(
    (
      packages.remove({}, { manifest: { exists: true, content: `${NAME}\n` }, pins: { exists: false } } as never)[0] as {
        run: string;
      }
    ).run,
  );
  expect(
    byStatus((_, index) => [
      among[index]?.stdout,
      there[index]?.stdout.includes('ii '),
      absent[index]?.exit,
      must[index]?.exit,
      held[index]?.exit,
      /apt-get .* remove jq/.test(removed[index]?.stdout ?? ''),
      /stays: it is on hold/.test(removed[index]?.stdout ?? ''),
    ]),
  ).toEqual(
    byStatus(({ installed, held, status }) => [
      installed ? 'jq\n' : '',
      installed && !status.endsWith('R'),
      installed ? 1 : 0,
      installed ? 0 : 1,
      held ? 1 : 0,
      installed && !held,
      installed && held,
    ]),
  );
});

test('so do a status file of dpkg and the clusters of postgres', () => {
  const words = {
    n: 'not-installed',
    c: 'config-files',
    H: 'half-installed',
    U: 'unpacked',
    F: 'half-configured',
    W: 'triggers-awaited',
    t: 'triggers-pending',
    i: 'installed',
  };
  const entries = STATES.map(({ status, wanted }) => {
    const is = words[status[1] as keyof typeof words];
    return `Package: p${status.replace(' ', '-')}\nStatus: ${WANTED[wanted as keyof typeof WANTED]} ${status[2] === 'R' ? 'reinstreq' : 'ok'} ${is}\n`;
  });
  const { stdout } = spawnSync('bash', ['-c', scriptInstalledIn('/dev/stdin')], { input: entries.join('\n'), encoding: 'utf8' });
  expect(stdout.split('\n').filter(Boolean).sort()).toEqual(
    STATES.flatMap(({ status, installed }) => (installed && !status.endsWith('R') ? [`p${status.replace(' ', '-')}`] : [])).sort(),
  );

  const fact = clustersFact('17');
  if (fact.kind !== 'command') throw new Error('it is asked by a command');
  const script = fact.run
    .replace('/var/lib/postgresql/*/main', '/tmp/15/main')
    .replace('[ -e "$data/PG_VERSION" ] || continue', '');
  const clusters = underEach(script).map((output) => fact.parse(output)[0]);
  expect(byStatus((_, index) => [clusters[index]?.package, clusters[index]?.held])).toEqual(
    byStatus(({ installed, held }) => (installed ? ['1.6-2.1', held || undefined] : [undefined, undefined])),
  );
});
