import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { ProvisioningError } from '../../../core/errors.js';
import type { Facts } from '../../../core/host/facts.js';
import { nameStep, namesStep } from '../../../core/host/host-names.js';
import type { Step } from '../../../core/host/step.js';
import { type HostVolume, volumeOnHost, volumeSteps } from '../../../core/host/volume-mounts.js';
import { cloudInit } from '../../../core/machine/cloud-init.js';
import { reveal, type Text } from '../../../core/taskserv/secret.js';
import type { HealthCheck } from '../../../core/taskserv/taskserv.js';
import { revealFake } from '../../../sdk/testing/fake-secret.js';
import { type Case, planOf } from '../../../sdk/testing/index.js';
import { fc } from '../../../test/support/fast-check.js';
import { modules } from '../../../test/support/modules.js';
import { renderAttach } from '../journal/runner.js';
import { createStepScripts } from '../journal/step-scripts.js';
import { undoItems } from '../journal/undo-scripts.js';
import { claimScript } from '../script/owner.js';
import { renderLook } from './look-script.js';

const folder = mkdtempSync(join(tmpdir(), 'hostile-'));
const canary = join(folder, 'canary');
const traces = join(folder, 'traces');
chmodSync(folder, 0o755);
mkdirSync(traces);
chmodSync(traces, 0o777);
writeFileSync(canary, `#!/bin/sh\n: >${traces}/ran\n`, { mode: 0o755 });
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(() => rmSync(join(traces, 'ran'), { force: true }));

/** Text that runs the canary wherever a shell reads it as more than text. */
const hostile = fc.constantFrom(
  `$(${canary})`,
  `\`${canary}\``,
  `a';${canary};'`,
  `a";${canary};"`,
  `a'";${canary};"'`,
  `\n${canary}\n`,
  `a;${canary}`,
  `|${canary}`,
  `\nEOF\n${canary}\n`,
  `\nEND\n${canary}\n`,
  `/a/$(${canary})/b c`,
  `-x $(${canary})`,
);

/**
 * Runs each script without its programs: none is found and none fails, tests have random results, and it can write
 * only to a folder of this test.
 */
const STAGE = `set +e; shopt -s expand_aliases
command_not_found_handle() { return $((RANDOM % 4 == 0)); }
[() { builtin [ "$@"; local code=$?; ((RANDOM % 3)) && return $code; return $((!code)); }
sleep() { n=$((n + 1)); builtin [ $n -lt 40 ] || exit; }
export PATH=/nowhere J=${traces}/journal A=${traces}/journal STAGE=x
RANDOM=$1; shift
for script; do ( n=0; eval "$script" ) </dev/null >/dev/null 2>&1; done`;

function runs(scripts: readonly string[], seed: number): boolean {
  const args = scripts.map((script) => script.replaceAll(/PATH=\/usr\/local\/sbin[^\s]*/g, 'PATH=/nowhere').replaceAll('\0', ''));
  const asNobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
  const { error } = spawnSync('/bin/bash', ['-c', STAGE, 'bash', String(seed), ...args], {
    cwd: '/',
    timeout: 20_000,
    env: {},
    ...asNobody,
  });
  if (error) throw error;
  return existsSync(join(traces, 'ran'));
}

/** With hostile secrets. A format that refuses them gets a value that each one takes. */
function revealed(value: Text): string {
  try {
    return reveal(value, (name) => `$(${canary} ${name})`);
  } catch (error) {
    if (!(error instanceof ProvisioningError) || error.details.code !== 'secret-not-expressible') throw error;
    return revealFake(value);
  }
}

/** Codes by which a plan refuses a name in its definition, or a version that a host reports. */
const REFUSALS: readonly string[] = ['bad-definition', 'version-skipped'];

/** Steps of a plan. A plan that refuses has none. */
function plannedOf(plan: () => Step[]): Step[] {
  try {
    return plan();
  } catch (error) {
    if (!(error instanceof ProvisioningError) || !REFUSALS.includes(error.details.code)) throw error;
    return [];
  }
}

/** All that a host's shells get to read for these steps. */
function scriptsFor(steps: Step[]): string[] {
  const { items, payloads } = createStepScripts(steps, revealed);
  const payload = payloads
    .filter(({ name }) => /\.(run|env|secrets|undo|revert)$/.test(name))
    .map(({ content }) => String(content));
  return [...items.map(({ body }) => inFunction(body)), ...undoItems(steps).map(({ body }) => inFunction(body)), ...payload];
}

const inFunction = (body: string) => `item() {\n:\n${body}\n}\nitem`;
const lookFor = (facts: Facts, health: HealthCheck[] = []) => renderLook({ facts: Object.values(facts), health }, revealed);

/** Words that decide what is planned: with another text there would be no steps to look at. */
const DECIDING = new Set([
  'state',
  'onChange',
  'protocol',
  'offering',
  'taskserv',
  'endpoints',
  'persistence',
  'maxMemoryPolicy',
  '$secret',
  // A command of one's own.
  'validate',
  // Its schema takes no other characters.
  'base64',
  // A fault of a certificate is reported, and nothing is planned.
  'tlsFault',
]);

/** The value with the text in each of its texts, before, behind, or in their place. */
function poisoned<T>(value: T, text: string, place: number): T {
  const walk = (inner: unknown): unknown => {
    if (typeof inner === 'string') return [inner + text, text + inner, text][place % 3];
    if (Array.isArray(inner)) return inner.map(walk);
    if (typeof inner !== 'object' || inner === null || Object.getPrototypeOf(inner) !== Object.prototype) return inner;
    return Object.fromEntries(Object.entries(inner).map(([key, item]) => [key, DECIDING.has(key) ? item : walk(item)]));
  };
  return walk(value) as T;
}

/** Number of tries for each taskserv. Each run draws others. */
const TRIES = process.env.LONG ? 12 : 4;

const draw = { text: hostile, place: fc.nat(2), seed: fc.nat(30_000) };
const casesOf = (name: string): Case[] => {
  const path = join('taskservs', name, 'cases');
  return readdirSync(path).map((file) => JSON.parse(readFileSync(join(path, file), 'utf8')) as Case);
};
const check = <T>(arbitrary: fc.Arbitrary<T>, numRuns: number, scripts: (drawn: T & { seed: number }) => string[]) =>
  fc.assert(
    fc.property(arbitrary, (drawn) => {
      expect(runs(scripts(drawn as T & { seed: number }), (drawn as { seed: number }).seed)).toBe(false);
    }),
    { numRuns },
  );

describe('hostile text never reaches a shell as more than text', { timeout: 120_000 }, () => {
  test('the stage would notice', () => {
    for (const script of [`echo $(${canary})`, `echo "$(${canary})"`, `m='a'; echo "\${m}\`${canary}\`"`]) {
      rmSync(join(traces, 'ran'), { force: true });
      expect(runs([script], 1)).toBe(true);
    }
    expect(execFileSync('bash', ['-c', `${'true'}`], { encoding: 'utf8' })).toBe('');
  });

  test.each(Object.entries(modules.taskservs))('in the configuration of %s, or in what was found on a host', (name, taskserv) => {
    const cases = casesOf(name);
    check(fc.record({ ...draw, one: fc.nat(cases.length - 1) }), TRIES, ({ text, place, one }) => {
      const given = cases[one] as Case;
      const planned = planOf(taskserv, given);
      const [config, context, found, target] = [
        planned.config,
        planned.context,
        planned.found,
        given.target ?? { server: 'a' },
      ].map((value) => poisoned(value, text, place)) as [unknown, typeof planned.context, typeof planned.found, { server: string }];
      // A release of a version that is not known has no plan, and packages go by versions.
      if (taskserv.versions.source === 'release' || ['release', 'package'].includes(taskserv.kind ?? ''))
        Object.assign(context, { version: planned.context.version });
      const steps = [
        // A removal knows no other servers, which a plan may need.
        ...(given.action === 'remove' ? [] : plannedOf(() => taskserv.plan(config, found, context))),
        ...taskserv.remove(config, found),
        ...(taskserv.drain?.(config, target, context) ?? []),
        ...(taskserv.undrain?.(config, target, context) ?? []),
      ];
      return [...scriptsFor(steps), lookFor(taskserv.facts(config), taskserv.health(config, context))];
    });
  });

  test('in volumes, in names of servers, and in what a new machine is told', () => {
    check(fc.record(draw), 25, ({ text, place }) => {
      const volume = poisoned<HostVolume>({ name: 'data', sizeGiB: 20, mount: '/srv/data', device: '/dev/disk/x' }, text, place);
      const { blank, mounted, inFstab } = { blank: true, mounted: false, inFstab: false };
      const steps = [
        ...volumeSteps('db', { ...volume, comes: true }, { disk: 2 ** 34, blank, mounted, inFstab }),
        ...volumeSteps(
          'db',
          { ...volume, grows: true },
          { disk: 2 ** 35, fileSystem: 'ext4', fileSystemSize: 2 ** 33, blank: false, mounted, inFstab },
        ),
        nameStep(`web${text}`, `10.0.0.1${text}`),
        ...[namesStep({ [`a${text}`]: '10.0.0.2' }, { [`b${text}`]: `10.0.0.3${text}` }) ?? []].flat(),
      ];
      const access = { authorizedKey: text, hostKey: { private: text, public: text } };
      const userData = cloudInit({ hostname: text, access, mounts: [{ device: volume.device as string, mount: volume.mount }] });
      const { runcmd } = JSON.parse(userData.slice(userData.indexOf('\n'))) as { runcmd: string[][] };
      const scope = { workspace: text, infra: text, uuid: text };
      return [
        ...scriptsFor(steps),
        lookFor({ volume: volumeOnHost(volume) }),
        ...runcmd.map((words) => words[2] as string),
        claimScript(scope, 'cHJvb2Y='),
      ];
    });
  });

  test('in paths, owners, modes, names and journals of steps', () => {
    check(fc.record(draw), 25, ({ text, place }) => {
      const steps = poisoned<Step[]>(
        [
          { title: 'a', file: { path: '/srv/file', content: 'text', mode: '0644', owner: 'root:root' } },
          { title: 'b', absent: { path: '/srv/gone' } },
          { title: 'c', directory: { path: '/srv/folder', mode: '0755', owner: 'root:root' } },
          { title: 'd', package: { name: 'bash', state: 'present', version: '1' } },
          { title: 'e', service: { name: 'ssh', state: 'running', enabled: true, reads: ['/etc/ssh/x'] } },
        ],
        text,
        place,
      );
      const journal = `/var/lib/provisioning/operations/${text}`;
      return [...scriptsFor(steps), renderAttach({ journal, nonce: '@x', items: [], payloads: [] })];
    });
  });
});
