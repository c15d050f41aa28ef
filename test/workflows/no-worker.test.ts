import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { awaitBeginOrWithdraw } from '../../app/temporal/worker-there.js';
import { provisioning } from '../support/command-line.js';
import { demoDefinition, type Written } from '../support/definition.js';
import { type DemoAccount, serversIn } from '../support/demo.js';
import { withDemoEngine } from '../support/demo-engine.js';
import type { TestEngine } from '../support/engine.js';
import { endAll, requestOf, untilStatus } from '../support/operations.js';
import { terminateFromOutside } from '../support/temporal-cli.js';

const noWorker = { details: { code: 'no-worker', blame: 'weather', why: 'no worker of this home is running' } };
const written = (count: number): Omit<Written, 'infra' | 'provider'> => ({
  servers: [{ name: 'web', count }],
  taskservs: ['nginx'],
});
const applying = (infra: string, count: number) =>
  requestOf({ infra, definition: demoDefinition(infra, written(count)), allowDestroy: true });

describe('without a worker', () => {
  let engine: TestEngine;
  let account: DemoAccount;
  withDemoEngine((...started) => {
    [engine, account] = started;
  });
  beforeEach(() => engine.killWorker());
  afterEach(async () => {
    await engine.up();
    await endAll(engine);
  });

  const client = () => engine.client();
  const known = (id: string) =>
    engine.temporal.workflow
      .getHandle(id)
      .describe()
      .then(({ status }) => status.name)
      .catch(() => 'unknown');

  test('what is submitted is refused, and nothing is left that runs later', async () => {
    const request = applying('refused', 1);
    await expect((await client()).operations.submit({ request })).rejects.toMatchObject(noWorker);
    expect(await known(request.id)).toBe('unknown');
    const infra = demoDefinition('refused', written(1));
    const batch = { id: 'batch-refused-1', name: 'refused', workspace: 'default', actor: 'tester', parallel: 1, accounts: {} };
    const submission = { ...batch, priority: 3, onFailure: 'keep', operations: [], definitions: { infra } } as const;
    await expect((await client()).batches.submit(submission as never)).rejects.toMatchObject({ details: { code: 'no-worker' } });
    expect(await known('batch-refused-1')).toBe('unknown');
  });

  test('secrets of its home are set and read all the same', async () => {
    const run = (line: string, stdin = '') => provisioning(engine, `secret ${line}`.split(' '), stdin);
    expect(await run('set alone', 'hunter2')).toMatchObject({ code: 0, stdout: 'set: alone (workspace default)\n' });
    expect(await run('get alone --reveal')).toMatchObject({ code: 0, stdout: 'hunter2\n', stderr: '' });
    await engine.up();
    expect(await run('get alone --reveal')).toMatchObject({ code: 0, stdout: 'hunter2\n' });
    expect(await run('delete alone')).toMatchObject({ code: 0, stdout: 'deleted: alone (workspace default)\n' });
  });

  test('a question is answered that there is none, at once', async () => {
    const request = applying('asked', 1);
    await (await client()).operations.submit({ request, queue: true });
    const ask = await client();
    for (const asked of [
      () => ask.operations.progress({ operation: request.id }),
      () => ask.operations.request({ operation: request.id }),
      () => ask.operations.pause({ operation: request.id }),
      () => ask.operations.follow({ operation: request.id })[Symbol.asyncIterator]().next(),
      () => ask.infras.refresh({ workspace: 'default', infra: 'asked' }),
    ])
      await expect(asked()).rejects.toMatchObject(noWorker);
    expect((await ask.operations.list({})).map(({ operation }) => operation)).toContain(request.id);
  });

  test('one that was terminated before a worker had taken it up is told as ended', async () => {
    const request = applying('untaken', 1);
    await (await client()).operations.submit({ request, queue: true });
    await terminateFromOutside(engine, request.id);
    await engine.up();
    const ended = { operation: request.id, infra: 'untaken', status: 'failed', error: { code: 'terminated' } };
    expect(await (await client()).operations.progress({ operation: request.id })).toMatchObject(ended);
    expect(await (await client()).operations.result({ operation: request.id })).toMatchObject(ended);
  });

  test('what is queued runs with the next worker, and is not done over what was submitted later', async () => {
    const [older, newer] = [applying('queued', 3), applying('queued', 1)];
    for (const request of [older, newer])
      expect(await (await client()).operations.submit({ request, queue: true })).toEqual({ operation: request.id, queued: true });
    await engine.up();
    expect((await (await client()).operations.result({ operation: newer.id })).status).toBe('done');
    expect(['done', 'superseded']).toContain((await (await client()).operations.result({ operation: older.id })).status);
    expect(serversIn(await account.read(), 'queued')).toEqual(['web-1']);
    expect((await (await client()).infras.inventory({ workspace: 'default', infra: 'queued' }))?.definition?.servers).toHaveLength(
      1,
    );
  });

  test('what is queued can be withdrawn', async () => {
    const request = applying('withdrawn', 1);
    await (await client()).operations.submit({ request, queue: true });
    await (await client()).operations.cancel({ operation: request.id });
    expect(await known(request.id)).toBe('TERMINATED');
    await engine.up();
    expect(serversIn(await account.read(), 'withdrawn')).toEqual([]);
    expect(await (await client()).infras.list({ workspace: 'default' })).not.toContain('withdrawn');
  });

  test('commands say so with their exit codes', async () => {
    const file = join(engine.home.root, 'said.json');
    await writeFile(file, JSON.stringify({ infra: 'said', provider: 'demo', ...written(1) }));
    const refused = await provisioning(engine, ['apply', file, '--yes']);
    expect([refused.code, refused.stderr]).toEqual([
      3,
      expect.stringMatching(/^error: .*no worker of this home is running\nhint: .*--queue.*\n$/),
    ]);
    expect((await provisioning(engine, ['apply', file])).code).not.toBe(0);
    const queued = await provisioning(engine, ['apply', file, '--yes', '--queue']);
    const [, id = ''] = /^queued as (\S+): no worker runs/.exec(queued.stdout) ?? [];
    expect([queued.code, id]).toEqual([0, expect.stringMatching(/^cluster-ensure-said-/)]);
    await engine.up();
    await untilStatus(engine, id, 'done');
    expect(serversIn(await account.read(), 'said')).not.toEqual([]);

    // Without a worker the existence of the infra is unknown, so a queued command does not ask.
    await engine.killWorker();
    const deleting = ['delete', 'said', '--yes'];
    expect(await provisioning(engine, deleting)).toMatchObject({ code: 3, stderr: expect.stringMatching(/no worker/) });
    const second = await provisioning(engine, [...deleting, '--queue']);
    const [, deletion = ''] = /^queued as (\S+): no worker runs/.exec(second.stdout) ?? [];
    expect([second.code, deletion]).toEqual([0, expect.stringMatching(/^cluster-delete-said-/)]);
    await engine.up();
    await untilStatus(engine, deletion, 'done');
    expect(serversIn(await account.read(), 'said')).toEqual([]);
  });

  test('one elsewhere that has ended unnoticed leaves nothing that runs later', async () => {
    const request = applying('unnoticed', 1);
    await (await client()).operations.submit({ request, queue: true });
    const withdrawn = { details: { code: 'no-worker', why: expect.stringMatching(/ it was withdrawn$/) } };
    await expect(awaitBeginOrWithdraw(engine.temporal, request.id, 300)).rejects.toMatchObject(withdrawn);
    expect(await known(request.id)).toBe('TERMINATED');
    await engine.up();
    expect(serversIn(await account.read(), 'unnoticed')).toEqual([]);
  });
});
