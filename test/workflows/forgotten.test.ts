import { WorkflowNotFoundError } from '@temporalio/client';
import { beforeEach, describe, expect, test } from 'vitest';
import { countMarks } from '../../core/operation/batch-rows.js';
import type { OperationResult } from '../../core/operation/operation.js';
import { openStores } from '../../stores/open-stores.js';
import type { RollbackStore } from '../../stores/rollbacks.js';
import { batchOf, farm, recordOf, runBatch, server } from '../support/batches.js';
import { provisioning } from '../support/command-line.js';
import { demoDefinition } from '../support/definition.js';
import { type DemoAccount, serversIn } from '../support/demo.js';
import { withDemoEngine } from '../support/demo-engine.js';
import type { TestEngine } from '../support/engine.js';
import { endAll, eventually, requestOf, run, runWell } from '../support/operations.js';

/** Temporal deletes ended workflows after its retention. The data for their roll-back stays longer. */
describe('an operation that Temporal has forgotten', { timeout: 240_000 }, () => {
  let engine: TestEngine;
  let account: DemoAccount;
  let kept: RollbackStore;
  withDemoEngine(async (...started) => {
    [engine, account] = started;
    kept = (await openStores(engine.home, engine.env)).rollbacks;
  });
  beforeEach(async () => {
    await endAll(engine);
    await account.behave({});
  });

  /** Deletes a workflow as Temporal does after its retention. */
  async function forget(workflowId: string): Promise<void> {
    const { workflow, workflowService, options } = engine.temporal;
    await workflowService.deleteWorkflowExecution({ namespace: options.namespace, workflowExecution: { workflowId } });
    await eventually(() => expect(workflow.getHandle(workflowId).describe()).rejects.toThrow(WorkflowNotFoundError));
  }
  const rollBack = (infra: string, of: string): Promise<OperationResult> =>
    run(engine, { ...requestOf({ infra, intent: { verb: 'rollback', of } }), allowDestroy: true });
  const of = (infra: string, count: number, taskservs: string[] = []) =>
    demoDefinition(infra, { servers: [{ name: 'web', count }], taskservs });
  const serversOf = async (infra: string) => serversIn(await account.read(), infra);
  const entry = (infra: string, operation: string) => kept.read({ workspace: 'default', infra, operation });

  test('is rolled back by what is kept of it, and then there is nothing to undo', async () => {
    await runWell(engine, { infra: 'lost', definition: of('lost', 1) });
    const { operation } = await runWell(engine, { infra: 'lost', definition: of('lost', 2, ['nginx']) });
    await forget(operation);
    const back = await rollBack('lost', operation);
    expect([back.status, back.of, await serversOf('lost')]).toEqual(['done', operation, ['web-1']]);
    expect(back.outcomes).toContainEqual({ on: 'server web-2', outcome: 'undone' });
    expect(new Set(back.outcomes?.map(({ outcome }) => outcome))).toEqual(new Set(['undone']));

    expect((await entry('lost', operation))?.compensations).toEqual([]);
    await forget(back.operation);
    for (const again of [operation, back.operation]) {
      const { code, stdout } = await provisioning(engine, ['workflow', 'rollback', again, '--yes']);
      expect([code, stdout]).toEqual([0, expect.stringContaining(`was rolled back by ${back.operation}`)]);
    }
  });

  test('is found by the command line, which knows no more than its id', async () => {
    const { operation } = await runWell(engine, { infra: 'named', definition: of('named', 1) });
    await forget(operation);
    const { code, stdout, stderr } = await provisioning(engine, ['workflow', 'rollback', operation, '--yes']);
    expect([code, stderr, stdout]).toEqual([0, expect.anything(), expect.stringContaining('done: named')]);
    expect(await serversOf('named')).toEqual([]);
    const never = await provisioning(engine, ['workflow', 'rollback', 'cluster-ensure-never', '--yes']);
    expect([never.code, never.stderr]).toEqual([
      2,
      expect.stringContaining('cannot be undone: neither Temporal nor the store has a record of it'),
    ]);
  });

  test('is kept as far as it was not undone, and a roll-back of the roll-back goes on with that', async () => {
    const { operation } = await runWell(engine, { infra: 'half', definition: of('half', 2) });
    await account.behave({ failures: [{ verb: 'servers.delete', name: 'web-1', times: 99, error: 'user' }] });
    const first = await rollBack('half', operation);
    expect(first.status).toBe('failed');
    expect(first.outcomes).toContainEqual({
      on: 'server web-1',
      outcome: 'cannot-be-undone',
      why: expect.stringContaining('refusal'),
    });
    expect(await serversOf('half')).toEqual(['web-1']);
    await account.behave({});
    await Promise.all([operation, first.operation].map(forget));
    expect((await rollBack('half', first.operation)).status).toBe('done');
    expect(await serversOf('half')).toEqual([]);
    expect((await entry('half', operation))?.compensations).toEqual([]);
  });

  test('cannot be undone where nothing is kept of it, and says so', async () => {
    const { operation } = await runWell(engine, { infra: 'gone', definition: of('gone', 1) });
    await forget(operation);
    await kept.drop({ workspace: 'default', infra: 'gone', operation });
    const back = await rollBack('gone', operation);
    expect(back).toMatchObject({
      status: 'failed',
      error: { code: 'unknown-operation', why: expect.stringContaining('cannot be undone: there is no record of it'), exitCode: 2 },
    });
    expect(await serversOf('gone')).toEqual(['web-1']);
  });

  test('of one that did nothing, and of a check, nothing is kept; with the infra all goes', async () => {
    const made = await runWell(engine, { infra: 'idle', definition: of('idle', 1) });
    const nothing = await runWell(engine, { infra: 'idle', definition: of('idle', 1) });
    const check = await runWell(engine, { infra: 'idle', definition: of('idle', 2), check: true });
    const refused = { verb: 'servers.create', name: 'web-2', times: 99, error: 'user' as const };
    await account.behave({ failures: [refused] });
    const { status, operation } = await run(engine, { infra: 'idle', definition: of('idle', 2) });
    await account.behave({});
    expect(status).toBe('rolled-back');
    expect((await entry('idle', made.operation))?.compensations.length).toBeGreaterThan(0);
    expect([await entry('idle', nothing.operation), await entry('idle', check.operation)]).toEqual([undefined, undefined]);
    expect((await entry('idle', operation))?.compensations).toEqual([]);
    await runWell(engine, { infra: 'idle', intent: { verb: 'delete' }, allowDestroy: true });
    expect([await entry('idle', made.operation), await entry('idle', operation)]).toEqual([undefined, undefined]);
  });

  test('steps whose journal is gone cannot be undone; those that never began have nothing to undo', async () => {
    await runWell(engine, { infra: 'log', definition: of('log', 1) });
    const { operation } = await runWell(engine, { infra: 'log', definition: of('log', 1, ['nginx']) });
    await account.meddle((state) => {
      for (const { services } of Object.values(state.servers)) for (const service of Object.values(services)) service.runs = {};
    });
    const back = await rollBack('log', operation);
    expect(back.outcomes?.find(({ on }) => on === 'taskserv nginx on web-1')).toEqual({
      on: 'taskserv nginx on web-1',
      outcome: 'cannot-be-undone',
      why: 'cannot be undone: its journal on the host is gone',
    });
    expect(back.status).toBe('failed');
    expect(back.left?.join()).toContain('cannot be undone: its journal on the host is gone');

    // The record of a former release: it does not say whether steps have begun.
    const owner = { workspace: 'default', infra: 'log', operation };
    const before = await kept.read(owner);
    const compensations = before?.compensations.map((one) => ({ ...one, ...('begun' in one && { begun: undefined }) })) ?? [];
    await kept.keep(owner, { kind: 'cluster', compensations });
    const second = await rollBack('log', operation);
    expect([second.status, second.outcomes?.find(({ on }) => on === 'taskserv nginx on web-1')?.outcome]).toEqual([
      'done',
      'nothing-to-undo',
    ]);
  });

  test('in a batch: undone by what is kept, left with the reason where nothing is, else nothing to undo', async () => {
    const names = ['kept', 'lost', 'idle'];
    await runWell(engine, {
      infra: 'many',
      kind: 'server',
      // The batch's definition is already in force: its operation on this server finds nothing to do.
      definition: demoDefinition('many', { servers: names.map((name) => ({ name })) }),
      intent: { verb: 'ensure', servers: ['idle'] },
    });
    const plan = await batchOf('many', { operations: names.map((name) => server(name)) }, { 'farm.json': farm('many', names) });
    const { batch } = await runBatch(engine, plan);
    const rows = await (await engine.client()).batches.rows({ batch });
    const idOf = (name: string) => rows.find((row) => row.name === name)?.operation ?? '';
    await Promise.all(['kept', 'lost'].map((name) => forget(idOf(name))));
    await kept.drop({ workspace: 'default', infra: 'many', operation: idOf('lost') });

    const undo = await (await engine.client()).batches.rollback({ batch, as: `batch-undo-${batch}` });
    const result = await (await engine.client()).batches.result(undo);
    expect([result.status, countMarks(result.marks)]).toEqual(['failed', { undone: 2, left: 1 }]);
    expect(await recordOf(engine, result.batch)).toEqual({
      kept: 'undone',
      lost: expect.stringContaining('left: cannot be undone: there is no record of it'),
      idle: 'undone: nothing to undo',
    });
    expect(await serversOf('many')).toEqual(['idle', 'lost']);
  });
});
