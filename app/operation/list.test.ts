import { Client } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { expect, test } from 'vitest';
import type { Engine } from '../engine.js';
import { operationsWhere, queryOperations } from './list.js';

const COMPLETED = 2;
const SECOND = msToTs(1_000);

test('operations of several runs are asked about some hundred at a time', async () => {
  const named: number[] = [];
  const executions = Array.from({ length: 1_200 }, (_, index) => ({
    execution: { workflowId: `cluster-${index}`, runId: 'r' },
    type: { name: 'cluster' },
    ...{
      status: COMPLETED,
      startTime: SECOND,
      closeTime: SECOND,
      taskQueue: 'q',
      memo: {},
      searchAttributes: {},
      historyLength: SECOND.seconds,
    },
  }));
  const listWorkflowExecutions = async ({ query }: { query: string }) => {
    const ids = /WorkflowId IN \((.*)\)/.exec(query)?.[1];
    if (ids) named.push(ids.split(', ').length);
    return { executions: ids ? [] : executions };
  };
  const temporal = new Client({ connection: { workflowService: { listWorkflowExecutions } } as never });
  expect((await queryOperations({ temporal, stores: {} } as Engine, {}, { limit: 10_000 })).items).toHaveLength(1_200);
  expect(named).toEqual([500, 500, 200]);
});

test.each(["x' OR ExecutionStatus = 'Running", "x\\' OR ExecutionStatus != ' -- ", "'", '\\', "a\\\\' OR 'a' = 'a", "x'); --"])(
  '%s in a filter stays one value of a condition',
  (text) => {
    /** The query without its values, as Temporal's parser reads them. */
    const skeletonOf = (value: string) =>
      operationsWhere({ workspace: value, infra: value, actor: value }).replace(/'(?:[^'\\]|''|\\.)*'/g, '?');
    expect(skeletonOf(text)).toBe(skeletonOf('plain'));
  },
);
