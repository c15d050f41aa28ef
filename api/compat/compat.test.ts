import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Dispatcher } from '../../app/dispatcher.js';
import { inputError } from '../../core/errors.js';
import { type ApiServer, serveApi } from '../listen/serve-api.js';
import type { CommandLine } from './command-line.js';
import { createCompat } from './create-compat.js';
import { CLUSTER, CREATE, SERVER, SINGLE } from './fixtures.js';
import { resolveBeneath } from './resolve-beneath.js';
import { TASK_STATES } from './task.js';

let root: string;
let server: ApiServer;
let lines: CommandLine[];
let calls: [name: string, input: unknown][];
/** Result of each command. */
let ending: () => Promise<Record<string, unknown>>;
let taskservs: string[];
let environments: string[];

const CREATED = '2026-11-29T10:00:00.000Z';
const answers: Record<string, (input: never) => unknown> = {
  'operations.list': ({ workspace, infra }: { workspace: string; infra?: string }) => ({
    items: [
      { operation: `op-${workspace}`, kind: 'server', infra: infra ?? 'production', status: 'done', started: CREATED, actor: 'a' },
    ],
  }),
  'operations.progress': ({ operation }: { operation: string }) => {
    if (operation !== 'op-1')
      throw inputError({ code: 'unknown-operation', what: 'find the operation', on: operation, why: 'there is no such operation' });
    const error = { step: 'Install nginx', on: 'web-1/nginx', why: 'exit code 100' };
    return { kind: 'taskserv', status: 'failed', started: CREATED, ended: CREATED, error };
  },
  'operations.logs': () => [{ server: 'main', taskserv: 'redis', text: 'hello' }],
  'taskservs.list': ({ after }: { after?: string }) =>
    after === undefined ? { items: [], next: 'more' } : { items: taskservs.map((name) => ({ name })) },
  'testEnvironments.list': () => ({
    items: environments.map((infra) => ({ infra, type: 'single', about: 'redis', created: CREATED, expires: CREATED })),
  }),
  'testEnvironments.run': () => ({ passed: true, tests: [] }),
  'testEnvironments.remove': () => undefined,
};

beforeAll(async () => {
  const place = await realpath(await mkdtemp(join(tmpdir(), 'compat-')));
  root = join(place, 'root');
  await mkdir(root);
  await writeFile(join(root, 'settings.yaml'), 'infra: production\n');
  await writeFile(join(place, 'secret.yaml'), 'secret: 1\n');
  const dispatcher = {
    kindOf: () => 'call',
    async call(name, input) {
      calls.push([name, input]);
      return (answers[name] as (input: unknown) => unknown)(input);
    },
    stream: () => {
      throw new Error('not asked for');
    },
  } satisfies Dispatcher;
  const compat = createCompat({
    ...{ dispatcher, workspace: 'default' },
    run(line) {
      lines.push(line);
      const ended = ending();
      ended.catch(() => {});
      return { ended };
    },
    resolve: (path) => resolveBeneath(root, path),
  });
  server = await serveApi(compat, { address: { host: '127.0.0.1', port: 0 }, log: () => {} });
});
afterAll(async () => {
  await server.close();
  await rm(join(root, '..'), { recursive: true });
});
beforeEach(() => {
  [lines, calls, environments] = [[], [], []];
  taskservs = ['kubernetes', 'containerd', 'cilium', 'etcd', 'redis'];
  ending = async () => ({ operation: 'op-1' });
});

async function ask(verb: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(`${server.origin}${path}`, {
    method: verb,
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
  });
  const answer = (await response.json()) as { success: boolean; data: unknown; error: string | null; code?: string };
  return { status: response.status, ...answer };
}

describe('the orchestrator’s workflows', () => {
  test('create servers by the command of ours, and answer with the id of the task', async () => {
    expect(await ask('POST', '/workflows/servers/create', CREATE)).toEqual({
      status: 200,
      success: true,
      data: 'op-1',
      error: null,
    });
    const file = join(root, 'settings.yaml');
    expect(lines).toEqual([
      { args: ['server', 'create', 'web-01', 'web-02', '--infra', 'production', '--file', file, '--no-wait', '--yes'] },
    ]);
  });

  test('only show what they would do in check mode', async () => {
    await ask('POST', '/workflows/servers/create', { ...CREATE, check_mode: true });
    expect(lines[0]?.args.slice(-1)).toEqual(['--check']);
  });

  test('install a taskserv, and bring a whole definition about', async () => {
    const taskserv = { infra: 'production', taskserv: 'redis', servers: ['web-01'] };
    expect((await ask('POST', '/workflows/taskserv/create', taskserv)).data).toBe('op-1');
    expect((await ask('POST', '/workflows/cluster/create', { infra: 'production' })).data).toBe('op-1');
    expect(lines.map(({ args }) => args.join(' '))).toEqual([
      'taskserv create redis --infra production --server web-01 --no-wait --yes',
      'cluster create --infra production --no-wait --yes',
    ]);
  });

  test('refuse a taskserv that does not exist, and start nothing', async () => {
    const refused = await ask('POST', '/workflows/taskserv/create', { infra: 'production', taskserv: 'oras' });
    expect(refused).toMatchObject({ status: 404, success: false, data: null, code: 'unknown-taskserv' });
    expect(refused.error).toContain('oras');
    expect(lines).toEqual([]);
  });

  test('report the error of a command', async () => {
    ending = async () => {
      throw inputError({ code: 'unknown-server', what: 'find the server', on: 'web-01', why: 'there is no such server' });
    };
    const refused = await ask('POST', '/workflows/servers/create', CREATE);
    expect(refused).toMatchObject({ status: 404, success: false, code: 'unknown-server' });
  });

  test('refuse a definition outside of the folder', async () => {
    const outside = await ask('POST', '/workflows/servers/create', { ...CREATE, settings: '../secret.yaml' });
    expect([outside.status, outside.code, lines]).toEqual([400, 'outside-root', []]);
  });

  test.each([
    ['an option as a name', { ...CREATE, servers: ['--file'] }],
    ['an option as an infra', { ...CREATE, infra: '-x' }],
    ['an unknown field', { ...CREATE, actor: 'root' }],
    ['no infra', { settings: './settings.yaml' }],
    ['no JSON', 'infra'],
  ])('refuse %s', async (_, body) => {
    expect(await ask('POST', '/workflows/servers/create', body)).toMatchObject({ status: 400, success: false });
    expect(lines).toEqual([]);
  });
});

describe('the orchestrator’s tasks', () => {
  test('are our operations', async () => {
    const { data } = await ask('GET', '/tasks');
    expect(data).toEqual([
      {
        ...{ id: 'op-default', name: 'servers_create', status: 'Completed' },
        ...{ created_at: CREATED, completed_at: null, error: null },
      },
    ]);
    expect((await ask('GET', '/tasks/op-1')).data).toMatchObject({
      ...{ id: 'op-1', name: 'taskserv_create', status: 'Failed' },
      error: 'Install nginx failed on web-1/nginx: exit code 100',
    });
    expect(await ask('GET', '/tasks/op-2')).toMatchObject({ status: 404, code: 'unknown-operation' });
  });

  test('have five states', () => {
    expect(new Set(Object.values(TASK_STATES))).toEqual(new Set(['Pending', 'Running', 'Completed', 'Failed', 'Cancelled']));
  });

  test('are known to be served, and no other path is', async () => {
    expect(await ask('GET', '/health')).toEqual({ status: 200, success: true, data: 'healthy', error: null });
    expect(await ask('GET', '/v1/operations')).toMatchObject({ status: 404, code: 'unknown-call' });
    expect(await ask('DELETE', '/tasks/op-1')).toMatchObject({ status: 404, code: 'unknown-call' });
  });
});

describe('the orchestrator’s test environments', () => {
  /** The environment is there once its command runs. */
  const begins = () => {
    ending = () => {
      environments.push(lines.at(-1)?.args.at((lines.at(-1)?.args.indexOf('--name') ?? 0) + 1) ?? '');
      return new Promise(() => {});
    };
  };

  test('are created of one taskserv', async () => {
    begins();
    const { data } = await ask('POST', '/test/environments/create', SINGLE);
    const id = (data as { id: string }).id;
    expect(id).toMatch(/^kubernetes-[0-9a-f]{6}$/);
    expect(data).toEqual({ id, status: 'Running' });
    expect(lines[0]?.args.join(' ')).toBe(
      `test env single kubernetes --name ${id} --image ubuntu-22.04 --auto-start --cpus 2 --memory 4096MiB`,
    );
  });

  test('are created of a server and of a cluster, as topologies', async () => {
    begins();
    const server = (await ask('POST', '/test/environments/create', SERVER)).data as { id: string };
    expect(server.id).toMatch(/^prod-stack-/);
    await ask('POST', '/test/environments/create', CLUSTER);
    const [first, second] = lines.map(({ args, input = '' }) => ({ args: args.slice(0, 4), topology: JSON.parse(input) }));
    expect(first).toEqual({
      args: ['test', 'env', 'cluster', '-'],
      topology: {
        description: 'web-01',
        servers: [
          {
            ...{ name: 'web-01', plan: '1cpu-2048mb' },
            taskservs: [{ name: 'containerd' }, { name: 'kubernetes' }, { name: 'cilium' }],
          },
        ],
      },
    });
    expect(second?.topology.servers).toMatchObject([
      { name: 'cp-01', role: 'controlplane', plan: '2cpu-4096mb' },
      { name: 'worker-01', role: 'worker', plan: '1cpu-2048mb' },
    ]);
  });

  test.each([
    ['a taskserv', SINGLE, 'kubernetes'],
    ['a taskserv of a server', SERVER, 'containerd'],
    ['a taskserv of a cluster', CLUSTER, 'kubernetes'],
  ])('refuse %s that does not exist', async (_, request, missing) => {
    taskservs = taskservs.filter((name) => name !== missing);
    const refused = await ask('POST', '/test/environments/create', request);
    expect(refused).toMatchObject({ status: 404, success: false, code: 'unknown-taskserv' });
    expect(refused.error).toContain(missing);
    expect(lines).toEqual([]);
  });

  test('report why they cannot be created', async () => {
    ending = async () => {
      throw inputError({ code: 'bad-arguments', what: 'choose the image', on: 'ubuntu-22.04', why: 'there is no such image' });
    };
    expect(await ask('POST', '/test/environments/create', SINGLE)).toMatchObject({ status: 400, code: 'bad-arguments' });
  });

  test('are listed, shown, tested, read and removed', async () => {
    environments = ['redis-1'];
    const shown = { id: 'redis-1', type: 'single', about: 'redis', status: 'Running', created_at: CREATED, expires_at: CREATED };
    expect((await ask('GET', '/test/environments')).data).toEqual([shown]);
    expect((await ask('GET', '/test/environments/redis-1')).data).toMatchObject({ ...shown, tasks: [{ status: 'Completed' }] });
    expect((await ask('POST', '/test/environments/redis-1/run')).data).toEqual({ passed: true, tests: [] });
    expect((await ask('GET', '/test/environments/redis-1/logs')).data).toEqual([
      { server: 'main', taskserv: 'redis', text: 'hello' },
    ]);
    expect((await ask('DELETE', '/test/environments/redis-1')).data).toBe('redis-1');
    expect(calls.at(-1)).toEqual(['testEnvironments.remove', expect.objectContaining({ workspace: 'default', infra: 'redis-1' })]);
    for (const [verb, path] of [
      ['GET', ''],
      ['POST', '/run'],
      ['GET', '/logs'],
      ['DELETE', ''],
    ])
      expect(await ask(verb as string, `/test/environments/gone${path}`)).toMatchObject({
        status: 404,
        code: 'unknown-environment',
      });
  });
});

test('a page of another site reaches nothing', async () => {
  expect(await ask('GET', '/tasks', undefined, { origin: 'https://evil.example' })).toMatchObject({
    status: 403,
    code: 'cross-site',
  });
  expect(await ask('POST', '/workflows/servers/create', JSON.stringify(CREATE), { 'content-type': 'text/plain' })).toMatchObject({
    status: 415,
  });
  expect(calls).toEqual([]);
  expect(lines).toEqual([]);
});
