import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { METHOD_NAMES } from '../app/method-names.generated.js';
import { runLine } from '../cli/fake-run.js';
import type { FakeOptions } from '../cli/fake-session.js';
import { inputError, unreachableError } from '../core/errors.js';
import { homeOf } from '../home/home.js';
import { openSecrets } from '../stores/open-secrets.js';
import { clientOver } from './client.js';
import { OWN_METHODS, type OwnGroup } from './without-worker.js';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'ask-'));
  const { secrets, close } = await openSecrets(homeOf({ PROVISIONING_HOME: root }), {});
  await secrets.set('hetzner/prod/token', 'hunter2');
  await close();
});
afterEach(() => rm(root, { recursive: true, force: true }));

const away = async () => {
  throw unreachableError({ code: 'engine-not-running', what: 'find the engine', why: 'no engine is running for this home' });
};
const unknown = () => Promise.reject(inputError({ code: 'unknown-call', what: 'answer the call', why: 'no such method' }));
/** The worker of a former version, which does not have the requested method. */
const former = async () =>
  clientOver({
    call: unknown,
    // biome-ignore lint/correctness/useYield: it fails at once
    async *stream() {
      await unknown();
    },
    close: async () => {},
  });

const accountsOf = async (options: FakeOptions) => {
  const { code, out, err } = await runLine('provider list --json', { root, ...options });
  if (code !== 0) return [code, out + err];
  const { providers } = JSON.parse(out) as { providers: { provider: string; accounts: string[] }[] };
  return providers.find(({ provider }) => provider === 'hetzner')?.accounts;
};

test('without a worker, and with one of a former version, a home on this machine answers itself', async () => {
  expect(await accountsOf({ connect: away })).toEqual(['prod']);
  expect(await accountsOf({ connect: former })).toEqual(['prod']);
});

test('the worker of another home is not replaced by the home of the asker', async () => {
  const env = { PROVISIONING_SOCKET: '/nowhere/worker.sock' };
  expect(await accountsOf({ connect: away, env })).toEqual([3, expect.stringContaining('no engine is running')]);
  expect(await accountsOf({ connect: former, env })).toEqual([2, expect.stringContaining('no such method')]);
});

test('accounts of the platform are listed with those of the environment of the command', async () => {
  const row = { name: 'hetzner', description: 'd', accounts: ['team'], sizes: {}, regions: [], features: [], images: [] };
  const client: FakeOptions['client'] = { 'providers.list': async () => [row] };
  expect(await accountsOf({ client, env: { HCLOUD_TOKEN: 'x' } })).toEqual(['default', 'team']);
});

test('a place of a backup is absolute for a worker, and is refused for the worker of another home', async () => {
  const asked: unknown[] = [];
  const client: FakeOptions['client'] = {
    'backups.list': async (input) => {
      asked.push(input);
      return [];
    },
  };
  expect((await runLine('backup list', { root, client })).code).toBe(0);
  expect((await runLine('backup list some/folder', { root, client })).code).toBe(0);
  const env = { PROVISIONING_SOCKET: '/run/worker.sock' };
  expect((await runLine('backup list', { root, client, env })).code).toBe(0);
  expect(await runLine('backup list /some', { root, client, env })).toMatchObject({
    code: 2,
    err: expect.stringContaining('leave out a folder'),
  });
  expect(asked).toEqual([{}, { folder: join(root, 'some/folder') }, {}]);
});

test('progress of a backup is shown, and a worker that ends without a result is an error', async () => {
  const report = { task: 'backup', text: '2 entries written', state: 'done' } as const;
  const client = (events: unknown[]): FakeOptions['client'] => ({
    async *'backups.verify'() {
      yield* events as never[];
    },
  });
  const result = {
    ...{ name: 'a.tar', file: '/b/a.tar', bytes: 1, id: 'i', created: 'now', setup: 's', key: 'k', store: 'files' },
    ...{ engine: { kind: 'none' }, contents: {}, seal: 'authentic', opened: 0, notes: [] },
  };
  const done = await runLine('backup verify a.tar', { root, client: client([{ report }, { result }]) });
  expect([done.code, done.out]).toEqual([0, expect.stringContaining('backup: 2 entries written\n')]);
  const json = await runLine('backup verify a.tar --json', { root, client: client([{ report }, { result }]) });
  const { name: _, ...written } = result;
  expect(JSON.parse(json.out)).toEqual(written);
  expect((await runLine('backup verify a.tar', { root, client: client([{ report }]) })).code).toBe(3);
});

test('a home has all methods of a group without a worker, except those that need an engine', async () => {
  for (const group of Object.keys(OWN_METHODS) as OwnGroup[]) {
    const all = Object.keys(METHOD_NAMES).filter((name) => name.startsWith(`${group}.`));
    const needsEngine = group === 'providers' ? all.filter((name) => name !== 'providers.list') : ['secrets.apply'];
    expect(Object.keys(await OWN_METHODS[group]()).sort()).toEqual(all.filter((name) => !needsEngine.includes(name)).sort());
  }
});
