import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { WorkflowNotFoundError } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import { createDispatcher } from '../../app/dispatch.js';
import type { Engine } from '../../app/engine.js';
import type { Page } from '../../app/lists/page.js';
import { createReconciler } from '../../app/operation/reconcile-ends.js';
import { createOwner } from '../../app/principal.js';
import { KeptLists } from '../../app/temporal/kept-list.js';
import { formatCondition, listWorkflows } from '../../app/temporal/visibility.js';
import { infraWorkflowId } from '../../core/names.js';
import { attributesFrom } from '../../core/operation/search-attributes.js';
import { openStores } from '../../stores/open-stores.js';
import { projectionMarks } from '../../stores/rows/projections/projection-marks.js';
import { provisioning } from '../support/command-line.js';
import { demoDefinition } from '../support/definition.js';
import type { DemoAccount } from '../support/demo.js';
import { withDemoEngine } from '../support/demo-engine.js';
import type { TestEngine } from '../support/engine.js';
import { eventually, runWell, submit, untilStatus } from '../support/operations.js';

type Row = { operation: string };

describe('a list of operations on a real engine', { timeout: 240_000 }, () => {
  let engine: TestEngine;
  let account: DemoAccount;
  withDemoEngine((...started) => {
    [engine, account] = started;
  });

  test('is paged while operations come, and a token that Temporal did not make is no cursor', async () => {
    const start = (id: string) =>
      engine.temporal.workflow.start('cluster', {
        workflowId: id,
        // This queue has no worker, so none of them begins or ends.
        taskQueue: 'nowhere',
        args: [{}],
        typedSearchAttributes: attributesFrom({ kind: 'cluster', workspace: 'paged', infra: 'shop', actor: 'ann@desk' }),
      });
    const { call } = createDispatcher({
      engine: { temporal: engine.temporal, stores: {} } as unknown as Engine,
      principal: createOwner('ann@desk'),
      checksAnswers: true,
    });
    const page = async (input: object) => (await call('operations.list', { workspace: 'paged', ...input })) as Page<Row>;
    const ids = Array.from({ length: 5 }, (_, index) => `cluster-ensure-paged-${index}`);
    for (const id of ids) await start(id);
    await eventually(async () => expect((await page({})).items).toHaveLength(5));

    const seen: string[] = [];
    const first = await page({ limit: 2 });
    for (let { items, next } = first; ; ) {
      expect(items.length).toBeLessThanOrEqual(2);
      seen.push(...items.map(({ operation }) => operation));
      if (next === undefined) break;
      if (seen.length === 2) await start('cluster-ensure-paged-newer');
      ({ items, next } = await page({ limit: 2, after: next }));
    }
    expect(seen).toEqual(ids.reverse());

    const [tag, place] = JSON.parse(Buffer.from(first.next ?? '', 'base64url').toString());
    for (const token of ['AAAA', Buffer.from('{"CloseTime":7}').toString('base64')]) {
      const after = Buffer.from(JSON.stringify([tag, { ...place, token }])).toString('base64url');
      const code = await page({ after }).then(
        ({ items }) => `${items.length} items`,
        (error) => error.details.code,
      );
      expect(code).toBe('bad-cursor');
    }
  });

  test('that is kept is read again only as far as it has changed', async () => {
    const start = (name: string) =>
      engine.temporal.workflow.start('infra', {
        workflowId: infraWorkflowId('kept', name),
        taskQueue: 'nowhere',
        args: [{}],
        typedSearchAttributes: attributesFrom({ kind: 'infra', workspace: 'kept', infra: name, actor: 'ann@desk' }),
      });
    const lists = (now: () => number, onRead: () => void = () => undefined) => {
      const kept = new KeptLists({
        now,
        async *list(...asked) {
          for await (const info of listWorkflows(engine.temporal, ...asked)) {
            onRead();
            yield info;
          }
        },
      });
      return async () =>
        (await kept.list(formatCondition('workspace', 'kept'))).map(({ workflowId }) => workflowId.split('/').at(-1)).sort();
    };
    const names = lists(Date.now);
    const first = await start('a');
    await start('b');
    await eventually(async () => expect(await names()).toEqual(['a', 'b']));
    // Its looks begin later than the margin, so they find nothing new.
    let read = 0;
    const later = lists(
      () => Date.now() + 20_000,
      () => {
        read += 1;
      },
    );
    for (const most of [2, 0]) {
      read = 0;
      expect(await later()).toEqual(['a', 'b']);
      expect(read).toBe(most);
    }
    await start('c');
    await first.terminate();
    await eventually(async () => expect(await names()).toEqual(['b', 'c']));
  });

  test('has those that ended without a report, as they ended, after Temporal has deleted them', async () => {
    const definition = (infra: string) => demoDefinition(infra, { servers: [{ name: 'web' }] });
    const done = (await runWell(engine, { infra: 'ended', definition: definition('ended') })).operation;
    const terminated = await submit(engine, {
      infra: 'terminated',
      definition: definition('terminated'),
      approve: ['before-change'],
    });
    await untilStatus(engine, terminated, 'waiting');
    await engine.temporal.workflow.getHandle(terminated).terminate();

    // No row is written while another process holds the database: the report of this end is lost.
    await account.behave({ latencyMs: { 'servers.create': 1_500 } });
    const unkept = await submit(engine, { infra: 'unkept', definition: definition('unkept') });
    const { default: Database } = await import('libsql');
    const held = new Database(join(engine.home.rows, 'rows.db'));
    held.exec('begin immediate');
    const workerLog = () => readFile(join(engine.home.logs, 'worker.log'), 'utf8');
    await eventually(async () => expect(await workerLog()).toContain('an end was not kept'), 90_000, 500);
    held.exec('rollback');
    held.close();
    await account.behave({});

    const stores = await openStores(engine.home, engine.env);
    try {
      const rows = await stores.rows();
      const client = await engine.client();
      const asEngine = { temporal: engine.temporal, stores } as unknown as Engine;
      const reconcile = createReconciler(asEngine, rows, {
        holder: 'the test',
        settleMs: 0,
        readEnd: (operation) => client.operations.progress({ operation }),
      });
      const list = () => client.operations.list({ workspace: 'default', limit: 100 });
      const before = await list();
      expect(before.map(({ operation, status }) => [operation, status])).toEqual([
        [unkept, 'done'],
        [terminated, 'failed'],
        [done, 'done'],
      ]);
      // In place of the worker, which does so within two minutes.
      await rows.table(projectionMarks).delete({ projection: 'operations' });
      expect(await reconcile()).toMatchObject({ complete: true, replayed: 2 });
      expect(await list()).toEqual(before);

      const { workflowService, options } = engine.temporal;
      for (const workflowId of [unkept, terminated, done]) {
        await workflowService.deleteWorkflowExecution({ namespace: options.namespace, workflowExecution: { workflowId } });
        await eventually(() =>
          expect(engine.temporal.workflow.getHandle(workflowId).describe()).rejects.toThrow(WorkflowNotFoundError),
        );
      }
      expect(await list()).toEqual(before);
      expect(await client.operations.list({ workspace: 'default', infra: 'unkept' })).toEqual([before[0]]);
      expect(await client.operations.count({ workspace: 'default' })).toEqual({ count: 3 });
      expect(await client.operations.progress({ operation: terminated })).toMatchObject({
        status: 'failed',
        error: { code: 'terminated' },
      });
      expect(await client.operations.progress({ operation: unkept })).toMatchObject({ status: 'done' });
      const { code, stdout } = await provisioning(engine, ['workflow', 'count', '--json']);
      expect([code, JSON.parse(stdout)]).toEqual([0, { count: 3 }]);
    } finally {
      await stores.close();
    }
  });
});
