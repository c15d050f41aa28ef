import { describe, expect, test } from 'vitest';
import type { OperationRequest } from '../../core/operation/operation.js';
import { demoDefinition } from '../support/definition.js';
import { contentOf, type DemoAccount, NOTHING } from '../support/demo.js';
import { leavingNothing, withDemoEngine } from '../support/demo-engine.js';
import type { TestEngine } from '../support/engine.js';
import { eventually, requestOf, run, runWell, type Wish } from '../support/operations.js';

/** Limits of requests, also for clients that start workflows without the platform's client. */
describe('requests', () => {
  let engine: TestEngine;
  let account: DemoAccount;
  const definition = demoDefinition('ask', { servers: [{ name: 'web', count: 2 }], taskservs: ['nginx'] });
  withDemoEngine((...started) => {
    [engine, account] = started;
  });
  leavingNothing('ask', () => ({ engine, account }));

  /** Starts a workflow like any client of Temporal: without search attributes, with any input. */
  async function startRaw(request: unknown, type = 'cluster', id = (request as OperationRequest).id): Promise<string> {
    await engine.temporal.workflow.start(type, { workflowId: id, taskQueue: engine.taskQueue, args: [request] });
    return id;
  }
  const rollbackWith = (intent: object, wish: Partial<Wish> = {}) =>
    ({
      ...requestOf({ infra: 'ask', intent: { verb: 'rollback' }, ...wish }),
      intent: { verb: 'rollback', ...intent },
    }) as OperationRequest;
  const deletesAll = [{ undo: 'delete-server', server: 'web-1', provider: 'demo' }];

  test('a roll-back does what the operation itself recorded, whatever the request brings along', async () => {
    await runWell(engine, { infra: 'ask', definition });
    const nothing = await runWell(engine, { infra: 'ask', definition });
    const client = await engine.client();
    const started = await startRaw(rollbackWith({ of: nothing.operation, compensations: deletesAll }));
    expect(await client.operations.result({ operation: started })).toMatchObject({
      status: 'done',
      steps: { planned: 0 },
      of: nothing.operation,
    });
    const unknown = await startRaw(rollbackWith({ of: 'cluster-ensure-ask-never', compensations: deletesAll }));
    expect(await client.operations.result({ operation: unknown })).toMatchObject({
      status: 'failed',
      error: { code: 'unknown-operation' },
    });
    const none = await startRaw(rollbackWith({ compensations: deletesAll }));
    expect((await client.operations.result({ operation: none })).status).toBe('failed');
    expect(contentOf(await account.read()).servers).toEqual(['default/ask/web-1', 'default/ask/web-2']);
  });

  test('a roll-back that was started without search attributes is listed', async () => {
    const made = await runWell(engine, { infra: 'ask', definition });
    const started = await startRaw(rollbackWith({ of: made.operation }, { actor: 'somebody' }));
    const client = await engine.client();
    expect((await client.operations.result({ operation: started })).status).toBe('done');
    await eventually(async () =>
      expect(await client.operations.list({ workspace: 'default', infra: 'ask' })).toContainEqual(
        expect.objectContaining({ operation: started, kind: 'cluster', infra: 'ask', actor: 'somebody' }),
      ),
    );
  });

  test('what another infra did is not rolled back here, nor what still runs, nor what is no operation', async () => {
    const other = { ...definition, infra: 'ask-other' };
    const done = await runWell(engine, { infra: 'ask-other', definition: other });
    const refused = async (of: string) => (await run(engine, { infra: 'ask', intent: { verb: 'rollback', of } })).error?.code;
    expect(await refused(done.operation)).toBe('other-infra');
    expect(await refused('infra/default/ask-other')).toBe('unknown-operation');
    const waiting = await startRaw(requestOf({ infra: 'ask', definition, approve: ['before-change'] }));
    await eventually(async () =>
      expect((await (await engine.client()).operations.progress({ operation: waiting })).status).toBe('waiting'),
    );
    const back = await run(engine, { infra: 'ask', intent: { verb: 'rollback', of: waiting } });
    expect(back).toMatchObject({ status: 'failed', error: { code: 'still-running', exitCode: 2 } });
    await (await engine.client()).operations.approve({ operation: waiting, approved: false });
    await runWell(engine, { infra: 'ask-other', intent: { verb: 'delete' }, allowDestroy: true });
  });

  test('a definition that names the machine of the worker is refused before anything is touched', async () => {
    const here = { ...definition.servers[0], name: 'here', provider: 'local', taskservs: [], host: { kind: 'this' as const } };
    const both = { ...definition, servers: [...definition.servers, here] } as typeof definition;
    const client = await engine.client();
    await expect(client.operations.submit({ request: requestOf({ infra: 'ask', definition: both }) })).rejects.toMatchObject({
      details: { code: 'this-host-not-allowed', on: 'here', hint: expect.stringContaining('--allow-this-host') },
    });
    const started = await startRaw(requestOf({ infra: 'ask', definition: both }));
    expect(await client.operations.result({ operation: started })).toMatchObject({
      status: 'failed',
      error: { code: 'this-host-not-allowed', exitCode: 2 },
    });
    expect(contentOf(await account.read()).servers).toEqual([]);
  });

  test('what is no request ends with one clear error, before anything is touched', async () => {
    const client = await engine.client();
    const good = requestOf({ infra: 'ask', definition });
    const { intent: _, ...without } = good;
    const server = { ...definition.servers[0], provider: '../demo' };
    for (const [bad, why] of [
      [without, 'intent: is missing'],
      [{ ...good, intent: { verb: 'destroy' } }, /^intent\.verb: must be one of ensure, /],
      [{ ...good, infra: '../../etc' }, /^infra: must match /],
      [{ ...good, definition: { ...definition, servers: [server] } }, /^definition\.servers\.0\.provider: must match /],
      [{ ...good, kind: 'server' }, 'kind: is not the type of the workflow'],
      [{ ...good, timing: { retryMs: 'soon' } }, 'timing.retryMs: must be a number'],
    ] as const) {
      const id = `cluster-ensure-ask-bad-${Math.random().toString(36).slice(2)}`;
      const started = await startRaw({ ...bad, id }, 'cluster', id);
      const ended = await client.operations.result({ operation: started });
      expect([ended.status, ended.error?.code, ended.error?.exitCode]).toEqual(['failed', 'bad-request', 2]);
      expect(ended.error?.why).toMatch(why);
      expect((await client.operations.progress({ operation: started })).error).toEqual(ended.error);
    }
    const moved = await startRaw(good, 'cluster', `${good.id}-again`);
    expect((await client.operations.result({ operation: moved })).error?.why).toBe('id: is not the id of the workflow');
    expect(contentOf(await account.read())).toEqual(NOTHING);
    expect(await client.infras.list({ workspace: 'default' })).toEqual([]);

    const refused = { details: { code: 'bad-request', blame: 'user' } };
    await expect(client.operations.submit({ request: { ...good, infra: 'A' } })).rejects.toMatchObject(refused);
    await expect(client.operations.submit({ request: rollbackWith({ of: 'x', compensations: deletesAll }) })).rejects.toMatchObject(
      {
        details: { code: 'bad-request', why: expect.stringMatching(/^request\.intent: .*compensations/) },
      },
    );
    await expect(client.infras.refresh({ workspace: 'default', infra: 'A' })).rejects.toMatchObject(refused);
    await expect(client.providers.plans({ provider: '../demo' })).rejects.toMatchObject(refused);
  });

  test('of every other workflow, too', async () => {
    for (const [type, input] of [
      ['infra', { workspace: 'default' }],
      ['batch', { id: 'batch-bad' }],
      ['refresh', {}],
      ['importServer', { workspace: 'default', infra: 'ask', actor: 'a', provider: 'demo', server: 's', name: 'A b' }],
      ['orphans', { workspace: 7, actor: 'a' }],
      ['ask', { provider: 'demo', topic: 'secrets' }],
      ['groupShare', { workspace: 'default', infra: 'ask', actor: 'a' }],
      ['cluster', null],
    ] as const) {
      const started = await startRaw(input, type, `bad-${type}-${Math.random().toString(36).slice(2)}`);
      const error = await engine.temporal.workflow
        .getHandle(started)
        .result()
        .catch((thrown) => thrown);
      expect([type, String(error.cause?.message)]).toEqual([
        type,
        expect.stringMatching(/^(?:cannot read the request: |Read the request failed on )/),
      ]);
    }
  });
});
