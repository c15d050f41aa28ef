import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import type { Connection } from '../../core/machine/provider.js';
import { activityEnvironment } from '../../test/support/activity-environment.js';
import type { Sight } from './host.js';
import { createHosts } from './hosts.js';
import { HOST_STATE } from './paths.js';

const scope = { workspace: 'default', infra: 'shop', uuid: 'u' };
const CONNECTIONS: Connection[] = [
  { kind: 'ssh', address: '192.0.2.5', port: 22, user: 'root', privateAddress: '10.0.0.5' },
  { kind: 'ssh', address: '192.0.2.5', port: 22, user: 'root', privateAddress: '10.0.0.5\nrequirepass x' },
  { kind: 'this' },
  { kind: 'demo', account: 'default', server: 'x/a' },
];

/** Hosts of a worker where everything that would go out says so. */
const hostOf = (more: object = {}) => {
  const transports = { open: () => Promise.reject(new Error('it connects')), takeFirstSeen: () => undefined, forget: () => {} };
  const connectionOf = () => Promise.reject(new Error('it asks its provider'));
  return createHosts({
    transports,
    connectionOf,
    secrets: { get: async () => undefined, list: async () => [], listScoped: async () => [] },
    providers: {},
    ...more,
  } as never);
};

test('nothing is connected before a host is used', () => {
  for (const connection of CONNECTIONS) hostOf()({ scope, server: 'a', provider: 'p', connection }).access.forget();
});

test('others reach a host by its private address; of a simulated one the name stands for it', () => {
  const addresses = CONNECTIONS.map((connection) => hostOf()({ scope, server: 'a', provider: 'p', connection }).privateAddress);
  expect(addresses).toEqual(['10.0.0.5', undefined, undefined, 'a']);
});

const HERE = { scope, server: 's', provider: 'p', connection: { kind: 'this' } } as const;

test('the machine of the worker is no host unless its operator allows that', async () => {
  const refused = { details: { code: 'this-host-not-allowed', blame: 'user', on: 's' } };
  await expect(hostOf()(HERE).access.claim()).rejects.toMatchObject(refused);
  const forbidding = hostOf({ allowsThisHost: async () => false })(HERE);
  await expect(forbidding.pause({ operation: 'o', taskserv: 't', generation: 1 }, 1)).rejects.toMatchObject(refused);
});

test.runIf(process.getuid?.() === 0)('the machine of the worker is a host where its operator allows that', async () => {
  // Whose it is already, if anybody's, is not for a test to change.
  const owner = `${HOST_STATE}/owner`;
  const uuid = existsSync(owner) ? (readFileSync(owner, 'utf8').split(' ')[0] ?? '') : 'u';
  const allowed = hostOf({ allowsThisHost: async () => true })({ ...HERE, scope: { ...scope, uuid } });
  const { machine } = (await activityEnvironment().run(() => allowed.look([]))) as Sight;
  expect(machine?.cores).toBe(Number(execFileSync('nproc', { encoding: 'utf8' })));
});

test('a simulated host bears no mark: it cannot be one that exists already', async () => {
  const connection = { kind: 'demo', account: 'default', server: 'x/a' } as const;
  const { access } = hostOf()({ scope, server: 'a', provider: 'demo', connection });
  for (const verb of [access.claim, access.leave]) await expect(verb()).rejects.toMatchObject({ details: { code: 'demo-host' } });
});

test('no activity asks how a host is reached', () => {
  const root = resolve(import.meta.dirname, '../..');
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'activities/*.ts'], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((path) => path !== '' && !path.endsWith('.test.ts'));
  expect(files).toContain('activities/host/hosts.ts');
  const asks = /[!=]==? '(ssh|this|demo)'|case '(ssh|this|demo)'|'demo'|\bconnection\??\.kind\b/;
  const asking = files.filter((path) => asks.test(readFileSync(resolve(root, path), 'utf8')));
  expect(asking).toEqual(['activities/host/hosts.ts']);
});
