import { msToTs } from '@temporalio/common/lib/time.js';
import { beforeEach, expect, test } from 'vitest';
import { clientOver } from '../../client/client.js';
import type { Definition } from '../../core/definition/definition.js';
import { inputError, unreachableError } from '../../core/errors.js';
import type { InventoryServer } from '../../core/infra/inventory.js';
import { definitionOf } from '../../test/support/definition.js';
import { failure } from '../../test/support/secret-client.js';
import { createDispatcher } from '../dispatch.js';
import type { Engine } from '../engine.js';
import { createOwner, type Principal } from '../principal.js';
import type { HostScripts, ScriptOptions } from './host-scripts.js';
import { MOST_SESSIONS, reserveSessions } from './reserve-sessions.js';

const SHOP = { workspace: 'default', infra: 'shop', application: 'web' };
const HASH = 'a'.repeat(64);

/** A definition with an application of this release on two servers. */
const definitionWith = (release: string): Definition =>
  definitionOf({
    ...{ infra: 'shop', provider: 'demo', servers: [{ name: 'web-1' }, { name: 'web-2' }] },
    taskservs: [
      {
        name: 'app',
        config: {
          ...{ name: 'web', release, artifact: { url: 'https://example.org/web.tar.gz', sha256: HASH } },
          processes: { web: { command: './web' }, worker: { command: './worker' } },
        },
      },
    ],
  } as never);

const serverNamed = (name: string, more: Partial<InventoryServer> = {}): InventoryServer =>
  ({
    name,
    provider: 'local',
    id: name,
    connection: { kind: 'ssh', address: name },
    spec: { name },
    services: {},
    ...more,
  }) as never;

/** Answer of each server to a script: its output, or an error. */
let answers: Record<string, string | Error>;
let servers: Record<string, InventoryServer>;
/** Each script that ran, and how connections were opened and closed. */
let ran: { server: string; script: string; options: ScriptOptions }[];
let noted: string[];
let started: { id: string; request: { definition?: Definition } }[];

const hostScripts: HostScripts = {
  async open({ uuid }, asked) {
    noted.push(`open ${uuid} ${asked.map(({ name }) => name).join(' ')}`);
    return {
      async run({ name }, script, options = {}) {
        ran.push({ server: name, script, options });
        const answer = answers[name] ?? '';
        if (answer instanceof Error) throw answer;
        options.onOutput?.(answer);
        options.output?.write(answer);
        return { exit: 0, stderr: '' };
      },
      close: () => void noted.push('close'),
    };
  },
};

const NOW = definitionWith('2.0');
const former: Record<string, Definition> = { h2: NOW, h1: definitionWith('1.0') };
const noRoute = unreachableError({ code: 'host-unreachable', what: 'connect by SSH', on: 'web-2', why: 'no route' });

function platform({ hosts, principal = createOwner('ann@desk') }: { hosts?: HostScripts; principal?: Principal } = {}) {
  const inventories: Record<string, object> = {
    shop: { workspace: 'default', infra: 'shop', uuid: 'u-1', servers, networks: {}, definition: NOW },
    other: { workspace: 'default', infra: 'other', uuid: 'u-2', servers: { db: serverNamed('db') }, networks: {} },
  };
  const workflow = {
    getHandle: (id: string) => ({
      query: async (name: string, hash?: string) => {
        if (name === 'definitions') return [{ hash: 'h2' }, {}, { hash: 'gone' }, { hash: 'h1' }];
        if (name === 'definition') return former[hash ?? ''] ?? null;
        const empty = { servers: {}, networks: {} };
        return inventories[id.split('/').at(-1) ?? ''] ?? empty;
      },
    }),
    start: async (_: string, { workflowId, args }: { workflowId: string; args: never[] }) => {
      started.push({ id: workflowId, request: args[0] as never });
    },
  };
  const executions = Object.keys(inventories).map((infra) => ({
    execution: { workflowId: `infra/default/${infra}`, runId: 'r' },
    type: { name: 'infra' },
    ...{ status: 1, startTime: msToTs(1_000), taskQueue: 'q', historyLength: msToTs(1_000).seconds, searchAttributes: {} },
  }));
  const temporal = {
    workflow,
    options: { namespace: 'n' },
    workflowService: { listWorkflowExecutions: async () => ({ executions }) },
  };
  const engine = { temporal, stores: {}, taskQueue: 'q', ...(hosts && { hostScripts: hosts }) } as unknown as Engine;
  const dispatcher = createDispatcher({ engine, principal, checksAnswers: true });
  return clientOver({ ...dispatcher, close: async () => {} }).applications;
}

async function all<T>(events: AsyncIterable<T>): Promise<T[]> {
  const read: T[] = [];
  for await (const event of events) read.push(event);
  return read;
}

beforeEach(() => {
  servers = { 'web-1': serverNamed('web-1'), 'web-2': serverNamed('web-2') };
  answers = {};
  ran = [];
  noted = [];
  started = [];
});

test('the list has the applications of all infras, or of one, with their processes and servers', async () => {
  const web = { infra: 'shop', name: 'web', processes: ['web', 'worker'], servers: ['web-1', 'web-2'] };
  expect(await platform().list({ workspace: 'default' })).toEqual([web]);
  expect(await platform().list({ workspace: 'default', infra: 'other' })).toEqual([]);
  delete servers['web-1'];
  expect(await platform().list({ workspace: 'default', infra: 'shop' })).toEqual([{ ...web, servers: ['web-2'] }]);
});

test('releases are read on each server, whose connections are closed', async () => {
  answers = { 'web-1': '2.0 2026-01-02T00:00:00Z 2026-01-03T00:00:00Z\n1.0 2026-01-01T00:00:00Z \n', 'web-2': '' };
  expect(await platform({ hosts: hostScripts }).releases(SHOP)).toEqual([
    { server: 'web-1', release: '2.0', there: '2026-01-02T00:00:00Z', since: '2026-01-03T00:00:00Z' },
    { server: 'web-1', release: '1.0', there: '2026-01-01T00:00:00Z' },
  ]);
  expect(noted).toEqual(['open u-1 web-1 web-2', 'close']);
  expect(ran.map(({ server, options }) => [server, options.limitMs])).toEqual([
    ['web-1', 60_000],
    ['web-2', 60_000],
  ]);
});

test('a server that does not answer, or is switched off, is named, and the connections are closed', async () => {
  answers = { 'web-2': noRoute };
  const refused = (why: string) => ({
    details: expect.objectContaining({ code: 'app-not-asked', on: 'web on web-2', why }),
  });
  await expect(platform({ hosts: hostScripts }).releases(SHOP)).rejects.toMatchObject(refused('no route'));
  servers['web-2'] = serverNamed('web-2', { stopped: 'server-stop-shop-1' });
  await expect(platform({ hosts: hostScripts }).releases(SHOP)).rejects.toMatchObject(refused('it is switched off'));
  expect(noted.filter((one) => one === 'close')).toHaveLength(2);
});

test('a host of another infra is refused with its own error', async () => {
  answers = { 'web-1': inputError({ code: 'host-managed-by-another', what: 'use the host', on: 'web-1', why: 'another' }) };
  const { releases, logs } = platform({ hosts: hostScripts });
  await expect(releases(SHOP)).rejects.toMatchObject(failure('host-managed-by-another'));
  await expect(all(logs({ ...SHOP, follow: true }))).rejects.toMatchObject(failure('host-managed-by-another'));
});

test('what is unknown is refused before a host is asked, and without a worker nothing is asked', async () => {
  const { releases, logs, rollback } = platform({ hosts: hostScripts });
  await expect(releases({ ...SHOP, infra: 'nothing' })).rejects.toMatchObject(failure('unknown-infra'));
  await expect(releases({ ...SHOP, application: 'x' })).rejects.toMatchObject(failure('unknown-app'));
  await expect(all(logs({ ...SHOP, servers: ['db'] }))).rejects.toMatchObject(failure('unknown-app'));
  await expect(all(logs({ ...SHOP, process: 'toString' }))).rejects.toMatchObject(failure('unknown-process'));
  await expect(all(logs({ ...SHOP, since: '1h\n' }))).rejects.toMatchObject(failure('bad-request'));
  await expect(rollback({ ...SHOP, infra: 'other' })).rejects.toMatchObject(failure('unknown-app'));
  expect([ran, noted]).toEqual([[], []]);
  await expect(platform().releases(SHOP)).rejects.toMatchObject(failure('no-worker'));
  await expect(all(platform().logs({ ...SHOP, follow: true }))).rejects.toMatchObject(failure('no-worker'));
});

test('a worker follows so many servers at a time, and sessions are free again once a reader has left or failed', async () => {
  const { logs } = platform({ hosts: hostScripts });
  const free = reserveSessions(hostScripts, 'others', MOST_SESSIONS - 1);
  await expect(all(logs({ ...SHOP, follow: true }))).rejects.toMatchObject(failure('logs-limited'));
  expect([ran, noted]).toEqual([[], []]);
  expect(await all(logs({ ...SHOP }))).toEqual([]);
  free();
  await all(logs({ ...SHOP, follow: true }));
  answers = { 'web-1': inputError({ code: 'host-managed-by-another', what: 'use the host', on: 'web-1', why: 'another' }) };
  await expect(all(logs({ ...SHOP, follow: true }))).rejects.toMatchObject(failure('host-managed-by-another'));
  reserveSessions(hostScripts, 'others', MOST_SESSIONS)();
});

test('logs of all servers are sorted by time; a process, an age and a number of lines reach journalctl quoted', async () => {
  const line = (second: number, text: string) => `2026-11-26T08:00:0${second}.000000+0000 ${text}`;
  answers = { 'web-1': `${line(1, 'a')}\n${line(3, 'c')}\n`, 'web-2': `${line(2, 'b')}\n` };
  const { logs } = platform({ hosts: hostScripts });
  expect(await all(logs(SHOP))).toEqual([
    { server: 'web-1', line: line(1, 'a') },
    { server: 'web-2', line: line(2, 'b') },
    { server: 'web-1', line: line(3, 'c') },
  ]);
  expect(ran[0]?.script).toContain('--lines=100 --unit=app-web-web.service --unit=app-web-worker.service');
  ran = [];
  await all(logs({ ...SHOP, servers: ['web-2'], process: 'worker', since: "2h'; reboot", lines: 5 }));
  expect(ran.map(({ server }) => server)).toEqual(['web-2']);
  expect(ran[0]?.script).toContain(`--lines=5 --unit=app-web-worker.service '--since=2h'\\''; reboot'`);
  await all(logs({ ...SHOP, since: '30m' }));
  expect(ran.at(-1)?.script).toContain('--since=-30min');
});

test('servers that print without end are not read to their end', async () => {
  const large = 'x'.repeat(1024 * 1024);
  const hosts: HostScripts = {
    open: async () => ({
      async run({ name }, _, { signal, onOutput } = {}) {
        ran.push({ server: name, script: '', options: {} });
        for (let count = 0; count < 1_000; count++) {
          if (signal?.aborted) throw signal.reason;
          onOutput?.(large);
          noted.push('MiB');
        }
        return { exit: 0, stderr: '' };
      },
      close: () => void noted.push('close'),
    }),
  };
  await expect(all(platform({ hosts }).logs(SHOP))).rejects.toMatchObject({
    details: expect.objectContaining({ code: 'app-not-asked', why: 'the servers print more than 64 MiB: ask for less' }),
  });
  expect(noted.filter((one) => one === 'MiB').length).toBeLessThan(70);
  expect(noted.at(-1)).toBe('close');
});

test('a rollback answers the request with the entry of the release; with `preview` its preview starts', async () => {
  const on = '2.0 2026-01-02T00:00:00Z 2026-01-03T00:00:00Z\n';
  answers = { 'web-1': `${on}1.0 2026-01-01T00:00:00Z\n`, 'web-2': on };
  const { rollback } = platform({ hosts: hostScripts });
  const back = await rollback(SHOP);
  expect(back).toMatchObject({ release: '1.0', missing: ['web-2'] });
  expect(back.request).toMatchObject({ kind: 'cluster', infra: 'shop', intent: { verb: 'ensure', prune: true } });
  const releasesIn = (definition?: { servers: Definition['servers'] }) =>
    definition?.servers.map(({ taskservs }) => taskservs.map(({ config }) => (config as { release: string }).release));
  expect(releasesIn(back.request.definition as never)).toEqual([['1.0'], ['1.0']]);
  expect([back.operation, started]).toEqual([undefined, []]);

  const { operation, request } = await rollback({ ...SHOP, to: '2', preview: true });
  expect(operation).toBe(request.id.replace('cluster-ensure-', 'cluster-check-'));
  expect(started.map(({ id }) => id)).toEqual([operation]);

  await expect(rollback({ ...SHOP, to: '3' })).rejects.toMatchObject(failure('unknown-release'));
  answers['web-1'] = `${on}0.9 2026-01-01T00:00:00Z\n`;
  await expect(rollback(SHOP)).rejects.toMatchObject(failure('release-not-kept'));
});

test('each method has its permission, about the infra', async () => {
  const asked: string[] = [];
  const may = (action: string, { type, id, infra = '' }: { type: string; id: string; infra?: string }) => {
    if (action === 'infra:read' || action === 'workspace:read') return true;
    asked.push(`${action} ${type} ${id} ${infra}`.trim());
    return false;
  };
  const { list, releases, logs, rollback } = platform({ hosts: hostScripts, principal: { actor: 'eve@desk', may } });
  for (const call of [
    () => list({ workspace: 'default' }),
    () => list({ workspace: 'default', infra: 'shop' }),
    () => releases(SHOP),
    () => rollback(SHOP),
  ])
    await expect(call()).rejects.toMatchObject(failure('forbidden'));
  await expect(all(logs(SHOP))).rejects.toMatchObject(failure('forbidden'));
  expect(asked).toEqual([
    'application:read Workspace default',
    'application:read Infra default/shop shop',
    'application:read Infra default/shop shop',
    'operation:preview Infra default/shop shop',
    'application:read-logs Infra default/shop shop',
  ]);
  expect(ran).toEqual([]);
});

test('whoever may not read an infra gets no definition of it by a rollback', async () => {
  const principal = { actor: 'eve@desk', may: (action: string) => action === 'operation:preview' };
  await expect(platform({ hosts: hostScripts, principal }).rollback(SHOP)).rejects.toMatchObject(failure('forbidden'));
  expect(ran).toEqual([]);
});
