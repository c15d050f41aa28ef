import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { clientOver } from '../../client/client.js';
import { homeOf } from '../../home/home.js';
import { createDispatcher } from '../dispatch.js';
import type { Engine } from '../engine.js';
import { createOwner, type Principal } from '../principal.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'setting-methods-'));
});
afterEach(() => rmSync(root, { recursive: true }));

const file = () => join(root, 'config.yaml');
const failure = (code: string) => ({ details: expect.objectContaining({ code }) });

function settingsOf({ env = {}, principal = createOwner('ann@desk') }: { env?: NodeJS.ProcessEnv; principal?: Principal } = {}) {
  const engine = { stores: {}, beside: { home: homeOf({ PROVISIONING_HOME: root }), env } } as unknown as Engine;
  return clientOver({ ...createDispatcher({ engine, principal, checksAnswers: true }), close: async () => {} }).settings;
}

test('a setting is set in the file of the home, shown with its layer, and removed', async () => {
  const settings = settingsOf();
  writeFileSync(file(), '# ours\nengine:\n  namespace: shop\n');
  expect(await settings.set({ key: 'operation.onFailure', value: 'ask' })).toEqual({ key: 'operation.onFailure', changed: true });
  expect(await settings.set({ key: 'operation.onFailure', value: 'ask' })).toEqual({ key: 'operation.onFailure', changed: false });
  expect(readFileSync(file(), 'utf8')).toBe('# ours\nengine:\n  namespace: shop\noperation:\n  onFailure: ask\n');
  const said = await settings.get({ key: 'operation.onFailure' });
  expect(said).toMatchObject({ value: 'ask', scope: 'client', decidedBy: { layer: 'user', file: file(), line: 5 } });
  expect(said.statements.map(({ layer }) => layer)).toEqual(['user']);
  const listed = await settings.list({ setOnly: true });
  expect(listed.map(({ key, value }) => [key, value])).toEqual([
    ['engine.namespace', 'shop'],
    ['operation.onFailure', 'ask'],
  ]);
  expect((await settings.list({})).length).toBeGreaterThan(listed.length);
  expect(await settings.unset({ key: 'operation.onFailure' })).toMatchObject({ changed: true });
  expect(await settings.get({ key: 'operation.onFailure' })).not.toHaveProperty('decidedBy');
  await settings.set({ key: 'timeouts.health', value: 77 });
  const { statements } = await settings.get({ key: 'timeouts.health' });
  expect(statements.map(({ layer, value }) => [layer, value])).toEqual([
    ['defaults', expect.any(Number)],
    ['user', 77],
  ]);
});

test('a value that may contain a password is set, and no answer has it', async () => {
  const settings = settingsOf();
  const password = 'open-sesame-93';
  const answers = [
    await settings.set({ key: 'store.url', value: `postgres://ann:${password}@db/x` }),
    await settings.get({ key: 'store.url' }),
    await settings.list({}),
    await settings.set({ key: 'store.url', value: { password } }).catch((error: unknown) => error),
  ];
  expect(readFileSync(file(), 'utf8')).toContain(password);
  expect(JSON.stringify(answers)).not.toContain(password);
  expect(answers[1]).toMatchObject({ hidden: true, statements: [{ layer: 'user', hidden: true }] });
  expect(answers[3]).toMatchObject(failure('config-value'));
});

test('a variable of the worker overrides the file, and the answer says so', async () => {
  const settings = settingsOf({ env: { PROVISIONING_NAMESPACE: 'prod' } });
  expect(await settings.set({ key: 'engine.namespace', value: 'shop' })).toMatchObject({ changed: true, decidedBy: 'variables' });
  expect(await settings.get({ key: 'engine.namespace' })).toMatchObject({
    value: 'prod',
    decidedBy: { layer: 'variables', variable: 'PROVISIONING_NAMESPACE' },
  });
});

test.each([
  ['config-key', { key: 'engine.namespac', value: 'x' }],
  ['config-key', { key: '__proto__', value: 'x' }],
  ['config-value', { key: 'engine.port', value: 'x' }],
  ['config-value', { key: 'operation.onFailure', value: ['ask'] }],
  ['bad-request', { key: 'engine.port', value: null as never }],
])('%s: %o is refused, and writes nothing', async (code, input) => {
  await expect(settingsOf().set(input)).rejects.toMatchObject(failure(code));
  expect(() => readFileSync(file())).toThrow('ENOENT');
});

test('a broken file is not changed', async () => {
  writeFileSync(file(), 'engine:\n  prot: 1\n');
  await expect(settingsOf().set({ key: 'engine.port', value: 7000 })).rejects.toMatchObject(failure('bad-settings'));
  expect(readFileSync(file(), 'utf8')).toBe('engine:\n  prot: 1\n');
});

test('the right to set how operations behave is not the right to set the engine', async () => {
  const asked: unknown[] = [];
  const may: Principal['may'] = (action, { type, id }) => asked.push([action, type, id]) > 0 && action === 'setting:set';
  const settings = settingsOf({ principal: { actor: 'eve@desk', may } });
  await settings.set({ key: 'operation.onFailure', value: 'ask' });
  await expect(settings.set({ key: 'engine.binary', value: '/tmp/x' })).rejects.toMatchObject(failure('forbidden'));
  await expect(settings.unset({ key: 'store.url' })).rejects.toMatchObject(failure('forbidden'));
  await expect(settings.set({ key: 'constructor', value: 'x' })).rejects.toMatchObject(failure('forbidden'));
  expect(asked).toEqual([
    ['setting:set', 'Setting', 'operation.onFailure'],
    ['setting:set-engine', 'Setting', 'engine.binary'],
    ['setting:set-engine', 'Setting', 'store.url'],
    ['setting:set-engine', 'Setting', 'constructor'],
  ]);
});
