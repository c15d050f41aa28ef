import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runLine } from '../../cli/fake-run.js';
import { fakeClient, fakeSession, resultOf } from '../../cli/fake-session.js';
import { operate } from '../../cli/shared/operate.js';
import { parseLimits } from '../../core/operation/rate-limits.js';
import { homeOf } from '../../home/home.js';
import { wantedPorts } from '../../workers/engine/processes/ports.js';
import type { Value } from '../layers/values.js';
import { settledEnvironment } from '../settings.js';
import { configuredService } from '../temporal-service.js';
import { allowsThisHost } from '../this-host.js';
import { REGISTRY } from './keys.js';
import { variableOf, variablesOf } from './registry.js';
import { textOfValue, valueOfText } from './value-types.js';

const root = join(import.meta.dirname, '../..');

async function homeWith(tree: object) {
  const folder = await mkdtemp(join(tmpdir(), 'keys-'));
  await writeFile(join(folder, 'config.json'), JSON.stringify(tree));
  return homeOf({ PROVISIONING_HOME: folder });
}

const nested = (name: string, value: Value) => {
  const [group = '', key = ''] = name.split('.');
  return { [group]: { [key]: value } };
};

/** Two values of each key of the engine. */
const VALUES: Record<string, [Value, Value]> = {
  'engine.profile': ['team', 'other'],
  'engine.namespace': ['a', 'b'],
  'engine.taskQueue': ['a', 'b'],
  'engine.deployment': ['a', 'b'],
  'engine.port': [7301, 7302],
  'engine.binary': ['built', 'path'],
  'engine.sha256': ['a'.repeat(64), 'b'.repeat(64)],
  'store.url': ['postgres://a/x', 'postgres://b/x'],
  'store.passwordFile': ['/a', '/b'],
  'encryption.kms': ['age', 'vault'],
  'encryption.kmsKey': ['transit/a', 'transit/b'],
  'encryption.kmsAddress': ['https://a', 'https://b'],
  'encryption.kmsFile': ['/a', '/b'],
  'encryption.kmsCa': ['/a', '/b'],
  'encryption.keyCommand': ['/a', '/b'],
  'ui.url': ['http://a', 'http://b'],
  'ui.port': [7401, 7402],
  'worker.allowThisHost': [true, false],
  'worker.limits': [{ hosts: 5 }, { hosts: 6, local: 0.5 }],
};
const engineKeys = [...REGISTRY.keys.values()].filter(({ scope }) => scope === 'engine');

describe('keys of the engine', () => {
  test.each(engineKeys)('$name decides over a variable that code reads', async (key) => {
    const [variable = '', derived] = variablesOf(key);
    const pair = VALUES[key.name] ?? [];
    expect(pair).toHaveLength(2);
    for (const value of pair) {
      const home = await homeWith(nested(key.name, value));
      const text = textOfValue(value);
      expect(await settledEnvironment(home, { A: 'b' })).toEqual({ A: 'b', [variable]: text });
      expect(valueOfText(key.type, text)).toEqual(value);
      // What follows from the name of the key is understood as well, and goes before the file.
      const [other = null] = pair.filter((one) => one !== value);
      if (derived && typeof other !== 'object')
        expect((await settledEnvironment(home, { [derived]: textOfValue(other) }))[variable]).toBe(textOfValue(other));
    }
    const readers = execFileSync(
      'git',
      ['grep', '-lwE', variable, '--', '*.ts', ':!*.test.ts', ':!settings/registry', ':!test', ':!bench'],
      {
        cwd: root,
        encoding: 'utf8',
      },
    );
    const texts = await Promise.all(
      readers
        .trim()
        .split('\n')
        .map((path) => readFile(join(root, path), 'utf8')),
    );
    const read = new RegExp(
      `env\\.${variable}\\b|\\(env, '${variable}'\\)|\\{ ${variable}: \\w+ \\}: NodeJS|= '${variable}'|${variable}' as const`,
    );
    expect(texts.some((text) => read.test(text))).toBe(true);
  });

  test('reach what they are about', async () => {
    const env = async (tree: object) => settledEnvironment(await homeWith(tree), {});
    expect(wantedPorts(await env({ engine: { port: 7301 }, ui: { port: 7401 } }))).toEqual({ grpc: 7301, ui: 7401 });
    const limits = (await env({ worker: { limits: { hosts: 5 } } })).PROVISIONING_LIMITS ?? '';
    expect(parseLimits(limits, ['hosts']).get('hosts')).toEqual({ perSecond: 5 });
    for (const allowed of [true, false])
      expect(await allowsThisHost(await homeWith({ worker: { allowThisHost: allowed } }), {})).toBe(allowed);
    const user = await mkdtemp(join(tmpdir(), 'keys-user-'));
    await mkdir(join(user, '.config/temporalio'), { recursive: true });
    await writeFile(join(user, '.config/temporalio/temporal.toml'), '[profile.team]\naddress = "team.example:7233"\n');
    const service = await configuredService({ HOME: user, ...(await env({ engine: { profile: 'team' } })) });
    expect(service?.address).toBe('team.example:7233');
  });

  test('are not taken from a folder, whatever the folder says', async () => {
    const home = await homeWith({});
    await writeFile(join(home.root, 'provisioning.yaml'), 'config: { engine: { profile: evil } }\n');
    expect(await settledEnvironment(home, {})).toEqual({});
  });
});

describe('keys of commands', () => {
  test('operation.* decide over requests, unless an option says otherwise', async () => {
    const home = await homeWith({ operation: { onFailure: 'ask', onTimeout: 'keep', priority: 5 } });
    const { client, submitted } = fakeClient((request) => [{ type: 'end', result: resultOf(request) }]);
    const session = fakeSession({ client, root: home.root });
    const wish = { kind: 'cluster', infra: 'demo', intent: { verb: 'ensure' } } as const;
    await operate(session, { yes: true }, wish);
    await operate(session, { yes: true, onFailure: 'keep', priority: 1 }, wish);
    await operate(fakeSession({ client }), { yes: true }, wish);
    expect(submitted.map(({ onFailure, onTimeout, priority }) => [onFailure, onTimeout, priority])).toEqual([
      ['ask', 'keep', 5],
      ['keep', 'keep', 1],
      [undefined, undefined, undefined],
    ]);
  });

  test('an operation is not begun with settings that are wrong', async () => {
    const home = await homeWith({ operation: { onFailure: 'kep' } });
    const { client, submitted } = fakeClient((request) => [{ type: 'end', result: resultOf(request) }]);
    const session = fakeSession({ client, root: home.root });
    const wish = { kind: 'cluster', infra: 'demo', intent: { verb: 'ensure' } } as const;
    await expect(operate(session, { yes: true }, wish)).rejects.toMatchObject({ details: { hint: 'did you mean "keep"?' } });
    expect(submitted).toEqual([]);
  });

  test.each([
    ['always', {}, true],
    ['never', {}, false],
    ['always', { NO_COLOR: '1' }, false],
    ['never', { PROVISIONING_OUTPUT_COLOR: 'always', NO_COLOR: '1' }, true],
  ])('output.color %s with %j: colours %s', async (color, env, expected) => {
    const { root } = await homeWith({ output: { color } });
    const { err, session } = await runLine('schema --taskserv nonsense', { root, env });
    expect([err.includes('\u001b[31m'), session.out.colours]).toEqual([expected, expected]);
  });
});

test('each key is described, and has a variable of its own', () => {
  const keys = [...REGISTRY.keys.values()];
  expect(keys.filter(({ description }) => !/^[A-Z].*[.…]$/.test(description)).map(({ name }) => name)).toEqual([]);
  expect(keys.filter((key) => (key.default === undefined) === (key.otherwise === undefined)).map(({ name }) => name)).toEqual([]);
  const variables = keys.flatMap((key) => variablesOf(key));
  expect(new Set(variables).size).toBe(variables.length);
  expect(variableOf('engine.taskQueue')).toBe('PROVISIONING_ENGINE_TASK_QUEUE');
});
