import { type Client, ServiceError, type WorkflowExecutionInfo } from '@temporalio/client';
import { executionInfoFromRaw } from '@temporalio/client/lib/helpers.js';
import { SEARCH_ATTRIBUTES } from '../../core/names.js';
import { QUESTIONS } from '../../core/operation/control.js';

type Name = keyof typeof SEARCH_ATTRIBUTES;

/** What a listed workflow has of an attribute; empty where it has none. */
export const attributeOf = ({ searchAttributes }: Pick<WorkflowExecutionInfo, 'searchAttributes'>, name: Name): string =>
  String((searchAttributes?.[SEARCH_ATTRIBUTES[name]] as unknown[] | undefined)?.[0] ?? '');

/** A condition of a list's query. */
export const whereIs = (name: Name, value: string): string => `${SEARCH_ATTRIBUTES[name]} = '${value.replaceAll("'", "''")}'`;

/** The condition of all that has not ended (`isOpen`), in words that services know which have no paused workflows. */
export const OPEN = "ExecutionStatus NOT IN ('Completed', 'Failed', 'Canceled', 'Terminated', 'ContinuedAsNew', 'TimedOut')";

/** The condition of all that waits for somebody's answer. What is open keeps its locks meanwhile. */
export const ASKING = `${SEARCH_ATTRIBUTES.attention} IN (${QUESTIONS.map((one) => `'${one}'`).join(', ')})`;

/** The query for all that runs on a task queue. */
export const runningOn = (taskQueue: string): string => `TaskQueue = '${taskQueue.replaceAll("'", "''")}' AND ${OPEN}`;

/** A workflow as Temporal lists it, nothing of it decoded. */
export type ListedWorkflow = Awaited<ReturnType<Client['workflowService']['listWorkflowExecutions']>>['executions'][number];

/** What lists workflows: a client, or as much of one. */
export type Lister = Pick<Client, 'workflowService'> & { options: Pick<Client['options'], 'namespace'> };

/** Lists workflows as they are, so many at a time. */
export async function* listedWorkflows(
  { workflowService, options: { namespace } }: Lister,
  query: string,
  pageSize?: number,
): AsyncGenerator<ListedWorkflow> {
  for (let nextPageToken: Uint8Array | undefined; ; ) {
    const page = await workflowService.listWorkflowExecutions({ namespace, query, pageSize, nextPageToken }).catch((cause) => {
      throw new ServiceError('Failed to list workflows', { cause });
    });
    yield* page.executions;
    nextPageToken = page.nextPageToken;
    if (!nextPageToken?.length) return;
  }
}

/**
 * Lists workflows without their memos: one that another set-up began, or an
 * attacker, cannot be decoded here, and Temporal's own list would end with it.
 */
export async function* listWorkflows(temporal: Client, query: string, pageSize?: number): AsyncGenerator<WorkflowExecutionInfo> {
  const { loadedDataConverter, namespace } = temporal.options;
  for await (const raw of listedWorkflows(temporal, query, pageSize)) {
    raw.memo = null;
    yield executionInfoFromRaw(raw, loadedDataConverter, raw, namespace);
  }
}
