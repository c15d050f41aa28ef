import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bugError, inputError, unreachableError } from '../../core/errors.js';
import type { BatchState } from '../../core/operation/batch.js';
import { commands } from '../commands.js';
import { runLine } from '../fake-run.js';
import { CTRL_C, type FakeOptions, type Fakes, fakeClient, inventoryNamed, progressOf, resultOf } from '../fake-session.js';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'cli-'));
  await writeFile(
    join(root, 'good.yaml'),
    'infra: demo\nprovider: demo\nservers:\n  - { name: web, count: 2, taskservs: [redis] }\n',
  );
  await writeFile(join(root, 'bad.yaml'), 'infra: demo\nservers:\n  - { name: web, plan: smal, taskservs: [redsi] }\n');
});
afterAll(() => rm(root, { recursive: true }));

const run = (line: string, options: FakeOptions = {}) => runLine(line.replaceAll('ROOT', root), { root, ...options });

const done = () => fakeClient((request) => [{ type: 'end', result: resultOf(request) }], inventoryNamed('demo'));

describe('what a command asks for', () => {
  test.each([
    ['apply ROOT/good.yaml', { kind: 'cluster', intent: { verb: 'ensure', prune: true } }],
    ['delete demo', { kind: 'cluster', intent: { verb: 'delete' }, allowDestroy: true }],
    ['cluster delete demo', { kind: 'cluster', intent: { verb: 'delete' }, allowDestroy: true }],
    ['cluster create --file ROOT/good.yaml', { kind: 'cluster', intent: { verb: 'ensure' } }],
    ['cluster create demo', { kind: 'cluster', intent: { verb: 'ensure' } }],
    ['server create', { kind: 'server', intent: { verb: 'ensure' } }],
    ['s create web-1,web-2 --file ROOT/good.yaml', { kind: 'server', intent: { verb: 'ensure', servers: ['web-1', 'web-2'] } }],
    ['server update web --file ROOT/good.yaml', { kind: 'server', intent: { verb: 'ensure', servers: ['web-1', 'web-2'] } }],
    [
      'server delete web-2 --file ROOT/good.yaml',
      { kind: 'server', intent: { verb: 'delete', servers: ['web-2'] }, allowDestroy: true },
    ],
    [
      't create redis --server web-1 --file ROOT/good.yaml',
      { kind: 'taskserv', intent: { verb: 'ensure', taskservs: ['redis'], servers: ['web-1'] } },
    ],
    ['taskserv delete redis --file ROOT/good.yaml', { kind: 'taskserv', intent: { verb: 'delete', taskservs: ['redis'] } }],
  ])('%s', async (line, expected) => {
    const { client, submitted } = done();
    const { code } = await run(`${line} --yes`, { client });
    expect([code, submitted]).toEqual([0, [expect.objectContaining({ infra: 'demo', workspace: 'default', ...expected })]]);
    expect(submitted[0]?.definition?.servers.length).toBe(line.includes('good.yaml') ? 2 : undefined);
    if (!('allowDestroy' in expected)) expect(submitted[0]).not.toHaveProperty('allowDestroy');
  });

  test('names that nobody knows are refused before anything starts', async () => {
    const { client, submitted } = done();
    const server = await run('server create wbe-1 --yes --file ROOT/good.yaml', { client });
    expect([server.code, server.err]).toEqual([
      2,
      'error: cannot find the server: wbe-1: the infra "demo" does not have it\nhint: did you mean "web-1"?\n',
    ]);
    const infra = await run('delete dmeo --yes', { client });
    expect([infra.code, infra.err]).toEqual([2, expect.stringContaining('did you mean "demo"?')]);
    expect(submitted).toEqual([]);
  });
});

describe('what goes wrong', () => {
  test.each([
    ['aply x', 2, 'find the command: aply: there is no such command\nhint: did you mean "apply"?'],
    ['wf lst', 2, 'find the command: workflow lst: there is no such command\nhint: did you mean "workflow list"?'],
    ['ssh web-1', 2, 'find the command: ssh: there is no such command\nhint: did you mean "server ssh" or "test env ssh"?'],
    [
      'create',
      2,
      'hint: did you mean "server create" or "taskserv create" or "cluster create" or "tenant create" or "service-account create" or "token create" or "backup create"?',
    ],
    ['--versoin', 2, 'read the command line: --versoin: no such option exists\nhint: did you mean "--version"?'],
    ['server --lst', 2, 'read the command line: --lst: no such option exists'],
    // The command's own option, not the program's version.
    ['test quick postgres --version 1.2.3', 2, 'version'],
    ['cluster create demo --infra shop', 2, 'the argument names the infra "demo", and --infra names "shop"'],
    ['server ssh', 2, "missing required argument 'name'"],
    ['apply a b', 2, 'too many arguments'],
    ['apply f --on-failure never', 2, 'Allowed choices are rollback, rollback-service, keep, ask'],
    ['apply f --batch-size 0', 2, 'neither a whole number from 1 on nor a share such as 25%'],
    ['taskserv update --strategy slowly', 2, 'Allowed choices are rolling, all-at-once'],
    ['workflow list --limit none', 2, 'whole number'],
    ['ui --port 65536', 2, 'the highest port is 65535'],
    ['validate ROOT/gone.yaml', 2, ''],
    ['secret delete x', 2, 'delete the secret: x: the secret is not set'],
    ['secret set ../x', 2, 'name the secret'],
    ['logs worker', 2, 'read the log of the worker'],
  ])('%s ends with %s', async (line, code, text) => {
    const found = await run(line, done());
    expect([found.code, found.err]).toEqual([code, expect.stringContaining(text)]);
    const data = await run(`${line} --json`, done());
    expect([data.code, JSON.parse(data.out).status]).toEqual([code, 'failed']);
  });

  test('an operation that there is none of has no page in the Web UI', async () => {
    const home = join(root, 'with-engine');
    await mkdir(join(home, 'engine'), { recursive: true });
    await writeFile(join(home, 'engine', 'engine.json'), JSON.stringify({ ui: 'http://127.0.0.1:9', namespace: 'provisioning' }));
    const unknown = inputError({
      code: 'unknown-operation',
      what: 'find the operation',
      on: 'nosuch',
      why: 'no such id exists',
    });
    const client = {
      'operations.progress': async () => Promise.reject(unknown),
      'batches.state': async () => Promise.reject(unknown),
    };
    const found = await run('ui nosuch', { root: home, client });
    expect([found.code, found.err]).toEqual([2, expect.stringContaining('find the operation: nosuch: no such id exists')]);
  });

  test('every problem of a file is shown, and is data with --json', async () => {
    const { code, err } = await run('apply ROOT/bad.yaml --yes');
    expect([code, err.split('\n').filter((line) => line.includes('bad.yaml:3:'))]).toEqual([
      2,
      expect.objectContaining({ length: 2 }),
    ]);
    const { out } = await run('apply ROOT/bad.yaml --yes --json');
    expect(JSON.parse(out)).toMatchObject({
      status: 'failed',
      error: {
        step: 'read the definition',
        exitCode: 2,
        problems: [
          { line: 3, path: 'servers[0].plan' },
          { line: 3, path: 'servers[0].taskservs[0]' },
        ],
      },
    });
  });

  test.each([
    [unreachableError({ code: 'engine-not-running', what: 'find the engine', why: 'none runs', hint: 'provisioning up' }), 3],
    [bugError({ code: 'x', what: 'a', why: 'b' }), 1],
    [new Error('boom'), 1],
  ])('%s ends with %s', async (error, code) => {
    const client = { 'operations.list': async () => Promise.reject(error) };
    expect((await run('workflow list', { client })).code).toBe(code);
    const { out } = await run('workflow list --json', { client });
    expect(JSON.parse(out)).toMatchObject({ status: 'failed', error: { exitCode: code } });
  });
});

describe('Ctrl-C at a question', () => {
  test('ends with 130, and nothing was changed', async () => {
    const { client, submitted } = fakeClient(
      (request) => [{ type: 'end', result: resultOf(request, { plan: [{ on: 'web-1', title: 'Create the server web-1' }] }) }],
      inventoryNamed('demo'),
    );
    const found = await run('apply ROOT/good.yaml', { client, interactive: true, answers: [CTRL_C] });
    expect([found.code, found.err]).toEqual([130, 'Nothing was changed.\n']);
    expect(submitted.map(({ check }) => check)).toEqual([true]);
    const refused = await run('apply ROOT/good.yaml', { client, interactive: true, answers: [false] });
    expect(refused.code).toBe(5);
  });

  test('of an operation that waits ends with 130, and leaves it waiting', async () => {
    const { client } = fakeClient(() => [{ type: 'waiting', progress: progressOf({ status: 'waiting' }) }], inventoryNamed('demo'));
    const found = await run('apply ROOT/good.yaml --yes', { client, interactive: true, answers: [CTRL_C] });
    expect([found.code, found.out]).toEqual([130, expect.stringContaining('answer with one of')]);
  });
});

describe('operations that there are', () => {
  const COMPENSATIONS = [{ undo: 'delete-server' as const, server: 'hub', provider: 'local' }];

  test('one that waits is answered, one that has ended is rolled back by another', async () => {
    const decided: unknown[] = [];
    const waiting = await run('wf rollback op --no-wait --reason mistaken', {
      client: {
        'operations.progress': async () => progressOf({ status: 'waiting' }),
        'operations.decide': async (answer) => void decided.push(answer),
      },
    });
    expect([waiting.code, decided]).toEqual([0, [{ operation: 'op', decision: 'rollback', why: 'mistaken' }]]);

    const { client, submitted } = done();
    const ended = progressOf({ operation: 'op', status: 'failed', compensations: COMPENSATIONS });
    const back = await run('workflow rollback op --yes', {
      client: {
        ...client,
        'operations.progress': async () => ended,
        'operations.compensations': async () => ({
          of: 'op',
          kind: 'cluster',
          workspace: 'default',
          infra: 'shop',
          left: 1,
          repairs: 0,
        }),
        'operations.result': async () => ended,
      },
    });
    expect([back.code, submitted[0]?.intent]).toEqual([0, { verb: 'rollback', of: 'op' }]);
  });

  test('one that runs is neither tried again nor rolled back', async () => {
    for (const verb of ['retry', 'rollback']) {
      const { code, err } = await run(`workflow ${verb} op --yes`, {
        client: { 'operations.progress': async () => progressOf({ operation: 'op' }) },
      });
      expect([code, err]).toEqual([2, expect.stringContaining('it is still running')]);
    }
  });

  test('each is controlled with its reason, and --force is never a cancel', async () => {
    const calls: unknown[] = [];
    const keep = (name: string) => async (input: unknown) => void calls.push([name, input]);
    const names = ['operations.pause', 'operations.resume', 'operations.approve', 'operations.cancel', 'operations.force'] as const;
    const client = Object.fromEntries(names.map((name) => [name, keep(name)])) as Fakes;
    const so = { operation: 'op', why: 'so' };
    for (const [command, ...call] of [
      ['pause op --reason so', 'operations.pause', so],
      ['resume op --no-wait', 'operations.resume', { operation: 'op' }],
      ['approve op --no-wait --reason so', 'operations.approve', { ...so, approved: true }],
      ['approve op --no-wait --reject --reason so', 'operations.approve', { ...so, approved: false }],
      ['cancel op --reason so', 'operations.cancel', so],
      ['cancel op --force --reason so', 'operations.force', so],
      ['rollback op --force --reason so', 'operations.force', so],
    ]) {
      const { code } = await run(`workflow ${command}`, { client });
      expect([command, code, calls.pop()]).toEqual([command, 0, call]);
    }
  });

  test('the status of a plan that waits shows it, and what people did', async () => {
    const progress = progressOf({
      operation: 'op',
      status: 'waiting',
      question: 'approval',
      plan: [{ on: 'hub', title: 'Create the server hub', machine: 'create' }],
      control: [{ at: '2026-11-21T10:00:00.123Z', actor: 'ann@desk', did: 'paused', why: 'lunch' }],
    });
    const { out } = await run('workflow status op', { client: { 'operations.progress': async () => progress } });
    expect(out).toContain('+ Create the server hub');
    expect(out).toContain('provisioning workflow approve op --reject');
    expect(out).toMatch(/2026-11-21T10:00:00Z +ann@desk +paused +lunch/);
    const { out: json } = await run('workflow status op --json', { client: { 'operations.progress': async () => progress } });
    expect(JSON.parse(json)).toMatchObject({ control: progress.control, question: 'approval' });
  });

  test('the status says what it waits for', async () => {
    const progress = progressOf({ operation: 'op', status: 'waiting', waiting: 'retry, skip or roll back?' });
    const { out } = await run('workflow status op', { client: { 'operations.progress': async () => progress } });
    expect(out).toContain('retry, skip or roll back?');
  });
});

describe('a batch that has ended', () => {
  const ended = { batch: 'b', name: 'fleet', status: 'failed', operations: 2, marks: 'df' } as BatchState;

  test('is never rolled back as a whole where only a branch was meant', async () => {
    const { code, err } = await run('batch rollback b --branch --yes', {
      client: { 'batches.state': async () => ended, 'batches.rollback': async () => Promise.reject(new Error('rolled back')) },
    });
    expect([code, err]).toEqual([2, expect.stringContaining('can only be rolled back as a whole')]);
  });

  test.each(['batch rollback b', 'fleet promote abc'])('%s does nothing after a no', async (line) => {
    const { code, out } = await run(line, { client: { 'batches.state': async () => ended }, interactive: true, answers: [false] });
    expect([code, out]).toEqual([5, 'Nothing was changed.\n']);
  });
});

test('every command of the list loads', async () => {
  for (const entry of commands) expect([entry.name, typeof (await entry.load()).command.run]).toEqual([entry.name, 'function']);
});
