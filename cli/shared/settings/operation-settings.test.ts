import { join } from 'node:path';
import { expect, test } from 'vitest';
import { REGISTRY } from '../../../settings/registry/keys.js';
import { HARMLESS } from '../../command.js';
import { createSession } from '../../session.js';
import { configPlace } from './operation-settings.js';

test('an option names the environment before a variable does', () => {
  const env = { PROVISIONING_ENV: 'prod', PROVISIONING_HOME: '/nowhere' };
  const placed = (flags: { env?: string }, more: NodeJS.ProcessEnv = env) => configPlace(createSession(flags, more), 'shop');
  expect(placed({})).toMatchObject({ environment: 'prod', infra: 'shop', home: { root: '/nowhere' } });
  expect(placed({ env: 'staging' }).environment).toBe('staging');
  expect(placed({}, { PROVISIONING_ENV: '' })).not.toHaveProperty('environment');
  const elsewhere = { ...createSession({}, env), cwd: join('/nowhere', 'at', 'all') };
  expect(configPlace(elsewhere).workspaceFolder).toBeUndefined();
});

test.each([
  ['operation.onFailure', '--on-failure <policy>'],
  ['operation.onTimeout', '--on-timeout <policy>'],
])('%s takes what %s takes', (name, flags) => {
  const option = HARMLESS.find((one) => one.flags === flags);
  expect(REGISTRY.keys.get(name)?.type).toEqual({ kind: 'choice', choices: option && 'choices' in option ? option.choices : [] });
});

test('operation.priority takes what --priority takes', () => {
  const option = HARMLESS.find((one) => one.flags === '--priority <number>');
  expect(option && 'choices' in option ? option.choices : []).toEqual([1, 2, 3, 4, 5]);
  expect(REGISTRY.keys.get('operation.priority')?.type).toEqual({ kind: 'number', min: 1, max: 5 });
});
