import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runLine } from '../../cli/fake-run.js';
import { fakeClient, fakeSession, resultOf } from '../../cli/fake-session.js';
import { operate } from '../../cli/shared/operate.js';
import { homeOf } from '../../home/home.js';
import { COMMAND_EFFECTS } from '../../test/settings/command-effects.js';
import { DEFINITION_EFFECTS } from '../../test/settings/definition-effects.js';
import { type Effect, placeWith } from '../../test/settings/effect.js';
import { ENCRYPTION_EFFECTS } from '../../test/settings/encryption-effects.js';
import { ENGINE_EFFECTS } from '../../test/settings/engine-effects.js';
import { OPERATION_EFFECTS } from '../../test/settings/operation-effects.js';
import { PROVIDER_EFFECTS } from '../../test/settings/provider-effects.js';
import { modules } from '../../test/support/modules.js';
import { makeFolder } from '../../test/support/temporary-folder.js';
import { resolveEnvironment } from '../settings.js';
import { REGISTRY } from './keys.js';
import { isServiceField, variableOf, variablesOf } from './registry.js';
import { textOfValue, valueOfText } from './value-types.js';

async function homeWith(tree: object) {
  const folder = await makeFolder('keys');
  await writeFile(join(folder, 'config.json'), JSON.stringify(tree));
  return homeOf({ PROVISIONING_HOME: folder });
}

const EFFECTS: Readonly<Record<string, Effect>> = {
  ...ENGINE_EFFECTS,
  ...ENCRYPTION_EFFECTS,
  ...DEFINITION_EFFECTS,
  ...OPERATION_EFFECTS,
  ...PROVIDER_EFFECTS,
  ...COMMAND_EFFECTS,
};
const productKeys = [...REGISTRY.keys.values()].filter((key) => !isServiceField(key));

describe('a value that is changed changes what is seen', () => {
  test.each(productKeys)('$name', { timeout: 60_000 }, async (key) => {
    const effect = EFFECTS[key.name];
    if (!effect) throw new Error(`${key.name} has no test in which another value changes something: test/settings`);
    const values = typeof effect.values === 'function' ? await effect.values() : effect.values;
    const sees = effect.sees === 'itself' ? values : effect.sees;
    expect(values[0]).not.toEqual(values[1]);
    expect(sees[0]).not.toEqual(sees[1]);
    for (const [index, value] of values.entries()) {
      expect(await effect.observe(await placeWith(key.name, value))).toEqual(sees[index]);
      // The variable derived from the name has the same effect, and the text that code reads has the same value.
      for (const variable of variablesOf(key)) expect(valueOfText(key.type, textOfValue(value)), variable).toEqual(value);
    }
  });

  test('no test is of a key that is not there', () => {
    expect(Object.keys(EFFECTS).filter((name) => !REGISTRY.keys.has(name))).toEqual([]);
  });
});

describe('keys of the engine', () => {
  test.each(productKeys.filter(({ scope }) => scope === 'engine'))('$name: a variable goes before the file', async (key) => {
    const [variable = '', derived] = variablesOf(key);
    const { values } = EFFECTS[key.name] as Effect;
    const [one, other] = typeof values === 'function' ? await values() : values;
    const [{ home }, text] = [await placeWith(key.name, one), textOfValue(one)];
    expect(await resolveEnvironment(home, { A: 'b' })).toEqual({ A: 'b', [variable]: text });
    if (typeof other !== 'object')
      expect((await resolveEnvironment(home, { [derived ?? variable]: textOfValue(other) }))[variable]).toBe(textOfValue(other));
  });

  test('are not taken from a folder, whatever the folder says', async () => {
    const home = await homeWith({});
    await writeFile(join(home.root, 'provisioning.yaml'), 'config: { engine: { profile: evil } }\n');
    expect(await resolveEnvironment(home, {})).toEqual({});
  });

  test('are refused by whoever reads them where a variable is no such value', async () => {
    const home = await homeWith({});
    await expect(resolveEnvironment(home, { PROVISIONING_WORKER_CONCURRENCY: 'many' })).rejects.toMatchObject({
      details: { code: 'bad-settings', on: 'PROVISIONING_WORKER_CONCURRENCY' },
    });
  });

  test('of a provider are fields of its configuration', () => {
    const fields = productKeys.flatMap(({ name }) => (name.startsWith('providers.') ? [name.split('.').slice(1)] : []));
    expect(fields.length).toBeGreaterThan(5);
    for (const [provider = '', field = ''] of fields) {
      const shape = (modules.providers[provider]?.config as { shape?: object } | undefined)?.shape ?? {};
      expect(Object.keys(shape)).toContain(field);
    }
  });
});

describe('keys of commands', () => {
  const wish = { kind: 'cluster', infra: 'demo', intent: { verb: 'ensure' } } as const;

  test('options go before them', async () => {
    const home = await homeWith({ operation: { onFailure: 'ask', onTimeout: 'keep', priority: 5, wait: false } });
    const { client, submitted } = fakeClient((request) => [{ type: 'end', result: resultOf(request) }]);
    const session = fakeSession({ client, root: home.root });
    await operate(session, { yes: true, wait: true, onFailure: 'keep', priority: 1 }, wish);
    expect(submitted.map(({ onFailure, onTimeout, priority }) => [onFailure, onTimeout, priority])).toEqual([['keep', 'keep', 1]]);
    expect(session.said()).not.toContain('started: ');
  });

  test('an operation is not begun with settings that are wrong', async () => {
    const home = await homeWith({ operation: { onFailure: 'kep' } });
    const { client, submitted } = fakeClient((request) => [{ type: 'end', result: resultOf(request) }]);
    const session = fakeSession({ client, root: home.root });
    await expect(operate(session, { yes: true }, wish)).rejects.toMatchObject({ details: { hint: 'did you mean "keep"?' } });
    expect(submitted).toEqual([]);
  });

  test('what counted is recorded with the operation, defaults of the product included', async () => {
    const home = await homeWith({
      operation: { onFailure: 'ask' },
      taskservs: { redis: { port: 6380 } },
    });
    const { client, submitted } = fakeClient((request) => [{ type: 'end', result: resultOf(request) }]);
    await operate(fakeSession({ client, root: home.root }), { yes: true, priority: 2 }, wish);
    const [request] = submitted;
    expect(request?.settings).toMatchObject({
      'operation.onFailure': { value: 'ask', layer: 'user' },
      'operation.priority': { value: 2, layer: 'flags' },
      'timeouts.health': { value: 60, layer: 'defaults' },
      'taskservs.redis.port': { value: 6380, layer: 'user' },
    });
    const recorded = Object.keys(request?.settings ?? {});
    expect(recorded.filter((name) => REGISTRY.keys.get(name)?.scope !== 'client')).toEqual([]);
    expect(recorded).not.toContain('taskservs.redis.persistence');
  });

  test.each([
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
  expect(keys.filter(({ description }) => !/^[A-Z`].*[.…]$/.test(description)).map(({ name }) => name)).toEqual([]);
  expect(keys.filter((key) => (key.default === undefined) === (key.otherwise === undefined)).map(({ name }) => name)).toEqual([]);
  const variables = keys.flatMap((key) => variablesOf(key));
  expect(new Set(variables).size).toBe(variables.length);
  expect(variableOf('engine.taskQueue')).toBe('PROVISIONING_ENGINE_TASK_QUEUE');
  expect(variables.filter((variable) => !/^[A-Z][A-Z0-9_]*$/.test(variable))).toEqual([]);
});
