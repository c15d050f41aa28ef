import { defaultPayloadConverter } from '@temporalio/common';
import { expect, test } from 'vitest';
import type { Cell } from '../../core/operation/operation.js';
import { ANSWER_BYTES } from '../../core/operation/progress-parts.js';
import { packJson } from '../../stores/packed.js';
import type { EndedOperation } from '../../stores/rows/ended-operations.js';
import { createDispatcher } from '../dispatch.js';
import type { Engine } from '../engine.js';
import { progressReader, readProgress, waitWithoutCell } from './state.js';

const silent = 'no answer from web-1 since 2026-11-29T10:00:00.000Z';
const running = (cell: Partial<Cell>) => ({ status: 'running', cells: [{ server: 'web-1', state: 'running', ...cell }] }) as never;

test('a look without a cell says that a host does not answer, and then why it is tried again', () => {
  expect(waitWithoutCell(running({ state: 'pending' }), [{ server: 'web-1', silent }])).toBe(`web-1: ${silent}`);
  const again = { attempt: 2, why: 'cannot connect by SSH' };
  expect(waitWithoutCell(running({ state: 'pending' }), [{ server: 'web-1', again }])).toContain('2 attempts failed');
  // A running cell reports it itself.
  expect(waitWithoutCell(running({}), [{ server: 'web-1', silent }])).toBeUndefined();
  expect(waitWithoutCell(running({ state: 'pending' }), [{ server: 'web-1' }])).toBeUndefined();
});

/** Temporal's service, which knows one workflow. */
const fakeService = (status: number, activities: () => object[] = () => [], run = { id: 'run' }) => ({
  options: {
    namespace: 'n',
    loadedDataConverter: { payloadConverter: defaultPayloadConverter, failureConverter: undefined, payloadCodecs: [] },
  },
  workflowService: {
    describeWorkflowExecution: async () => ({
      workflowExecutionInfo: { execution: { runId: run.id }, status, historyLength: { toNumber: () => 7 } },
      pendingActivities: activities(),
    }),
  },
});

test('a look is the same object until something changes, and says what an activity says', async () => {
  let asked = 0;
  const cells = [{ server: 'web-1', taskserv: 'nginx', state: 'running' }];
  const handle = {
    query: async () => {
      asked++;
      const parts = [{ name: 'p', items: cells }];
      return { parts, whole: { head: { operation: 'op', status: 'running' }, lists: { cells: [0, 1] } } };
    },
  };
  let done = 1;
  const beat = () => defaultPayloadConverter.toPayload({ server: 'web-1', taskserv: 'nginx', done, total: 3 });
  const activities = () => [{ activityId: '1', heartbeatDetails: { payloads: [beat()] } }, { activityId: '2' }];
  const temporal = { ...fakeService(1, activities), workflow: { getHandle: () => handle } };
  const look = progressReader({ temporal, stores: {} } as unknown as Engine, 'op');
  const first = await look();
  expect(first.cells).toMatchObject([{ done: 1, total: 3 }]);
  expect(await look()).toBe(first);
  done = 2;
  const second = await look();
  expect(second.cells).toMatchObject([{ done: 2, total: 3 }]);
  expect(first.cells).toMatchObject([{ done: 1 }]);
  expect(asked).toBe(1);
});

test.each([
  ['RUNNING', 1],
  ['COMPLETED', 64],
])('an operation that is %s is asked for parts of %i MiB: to ask one that has ended replays its history', async (name, times) => {
  const asked: unknown[] = [];
  const handle = {
    describe: async () => ({ runId: 'run', historyLength: 7, status: { name } }),
    query: async (...args: unknown[]) => {
      asked.push(args[2]);
      return { parts: [], whole: { head: { operation: 'op', status: 'done' }, lists: { cells: [] } } };
    },
  };
  const temporal = { ...fakeService(name === 'RUNNING' ? 1 : 2), workflow: { getHandle: () => handle } };
  const engine = { temporal, stores: {} } as unknown as Engine;
  expect(await progressReader(engine, 'op')()).toMatchObject({ operation: 'op', status: 'done', cells: [] });
  expect(asked).toEqual([times * ANSWER_BYTES]);
});

test('how an operation ended is read where it was kept, and kept if it was not', async () => {
  const kept: EndedOperation[] = [];
  let asked = 0;
  const handle = {
    describe: async () => ({ runId: 'run', historyLength: 7, closeTime: new Date(), status: { name: 'TERMINATED' } }),
    query: async () => {
      asked++;
      const head = { operation: 'op', workspace: 'w', infra: 'i', status: 'running' };
      return { parts: [], whole: { head, lists: { cells: [] } } };
    },
  };
  const log = () => ({
    append: async (rows: EndedOperation[]) => void kept.push(...rows),
    list: async ({ where }: { where: { operation: string } }) => ({
      rows: kept.filter(({ operation }) => operation === where.operation).map((row, sequence) => ({ row, sequence })),
    }),
  });
  const run = { id: 'run' };
  const temporal = { ...fakeService(5, undefined, run), workflow: { getHandle: () => handle } };
  const engine = { temporal, stores: { rows: async () => ({ log }) } } as unknown as Engine;
  for (let look = 0; look < 3; look++)
    expect(await readProgress(engine, 'op')).toMatchObject({ status: 'failed', error: { code: 'terminated' } });
  expect(asked).toBe(1);
  // It was reset, and ended again: what was kept is of the run before.
  run.id = 'later';
  Object.assign(handle, { describe: async () => ({ runId: 'later', historyLength: 9, status: { name: 'COMPLETED' } }) });
  expect(await readProgress(engine, 'op')).toMatchObject({ status: 'running' });
  expect(asked).toBe(2);
  expect(kept.map(({ run }) => run)).toEqual(['run', 'later']);
});

test('an operation that Temporal has forgotten is asked for once, and read where its end was kept', async () => {
  const progress = { operation: 'op', workspace: 'w', infra: 'i', status: 'done', cells: [] };
  const kept = { run: 'run', operation: 'op', workspace: 'w', infra: 'i', progress: (await packJson(progress)).toString('base64') };
  const log = () => ({ list: async () => ({ rows: [{ row: kept, sequence: 1 }] }) });
  let described = 0;
  const describe = async () => {
    described++;
    throw Object.assign(new Error('not found'), { code: 5, details: '', metadata: {} });
  };
  const temporal = { options: { namespace: 'n' }, workflowService: { describeWorkflowExecution: describe } };
  const engine = { temporal, stores: { rows: async () => ({ log }) } } as unknown as Engine;
  const places: unknown[] = [];
  const may = (_: string, { workspace }: { workspace?: string }) => places.push(workspace) > 0;
  const dispatcher = createDispatcher({ engine, principal: { actor: 'ci', tenant: '', may } });
  for (let look = 0; look < 2; look++) expect(await dispatcher.call('operations.progress', { operation: 'op' })).toEqual(progress);
  // Each look queries again: Temporal may have started another workflow with this id.
  expect([described, places]).toEqual([2, ['w', 'w']]);
});
