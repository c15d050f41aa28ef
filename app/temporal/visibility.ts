import { type Client, ServiceError, type WorkflowExecutionInfo } from '@temporalio/client';
import { executionInfoFromRaw } from '@temporalio/client/lib/helpers.js';
import { quoteValue } from '../../core/engine/quote-value.js';
import { SEARCH_ATTRIBUTES } from '../../core/names.js';
import { QUESTIONS } from '../../core/operation/control.js';
import { badCursor } from '../lists/bad-cursor.js';

type Name = keyof typeof SEARCH_ATTRIBUTES;

/** Returns the value of a listed workflow's attribute; empty if it is missing. */
export const attributeOf = ({ searchAttributes }: Pick<WorkflowExecutionInfo, 'searchAttributes'>, name: Name): string =>
  String((searchAttributes?.[SEARCH_ATTRIBUTES[name]] as unknown[] | undefined)?.[0] ?? '');

/** A condition of a list's query. */
export const formatCondition = (name: Name, value: string): string => `${SEARCH_ATTRIBUTES[name]} = ${quoteValue(value)}`;

/** Condition of runs that have closed, with those that continued as a new run. */
export const CLOSE_CONDITION = "ExecutionStatus IN ('Completed', 'Failed', 'Canceled', 'Terminated', 'ContinuedAsNew', 'TimedOut')";

/** Condition of workflows that have not ended (`isOpen`), in words that services without paused workflows know. */
export const OPEN = CLOSE_CONDITION.replace(' IN ', ' NOT IN ');

/** Condition of ended workflows, without runs that continued as a new run. */
export const ENDED_CONDITION = "ExecutionStatus IN ('Completed', 'Failed', 'Canceled', 'Terminated', 'TimedOut')";

/** Condition of all runs except those that continued as a new run. */
export const LATEST_RUN_CONDITION = "ExecutionStatus != 'ContinuedAsNew'";

/** Condition of operations that wait for an answer of a person. Open operations keep their locks until then. */
export const ASKING_CONDITION = `${SEARCH_ATTRIBUTES.attention} IN (${QUESTIONS.map(quoteValue).join(', ')})`;

/** Query for all running workflows on a task queue. */
export const queryRunning = (taskQueue: string): string => `TaskQueue = ${quoteValue(taskQueue)} AND ${OPEN}`;

/** A workflow as Temporal lists it, nothing of it decoded. */
export type ListedWorkflow = Awaited<ReturnType<Client['workflowService']['listWorkflowExecutions']>>['executions'][number];

/** The parts of a client that list workflows. */
export type Lister = Pick<Client, 'workflowService'> & { options: Pick<Client['options'], 'namespace'> };

/** Lists raw workflows, page by page. */
export async function* listOpenWorkflows(
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
 * Reads one page in a list of workflows.
 *
 * @param token of the page before, as base64: it is untrusted input
 * @throws inputError `bad-cursor` if Temporal refuses the token
 */
export async function pageOfWorkflows(
  temporal: Client,
  query: string,
  { pageSize, token }: { pageSize: number; token?: string | undefined },
): Promise<{ found: WorkflowExecutionInfo[]; next?: string }> {
  const { loadedDataConverter, namespace } = temporal.options;
  const nextPageToken = token === undefined ? undefined : Buffer.from(token, 'base64');
  const page = await temporal.workflowService
    .listWorkflowExecutions({ namespace, query, pageSize, nextPageToken })
    .catch((cause) => {
      if (token !== undefined && cause?.code === INVALID_ARGUMENT) throw badCursor('Temporal does not know the place that it says');
      throw new ServiceError('Failed to list workflows', { cause });
    });
  const found = page.executions.map((raw) => infoOf(raw, loadedDataConverter, namespace));
  return { found: await Promise.all(found), ...(page.nextPageToken?.length && { next: base64Of(page.nextPageToken) }) };
}

/** A status code of gRPC. */
const INVALID_ARGUMENT = 3;

const base64Of = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

/**
 * Lists workflows without their memos. A memo of another installation, or of an attacker, cannot be decoded here, and
 * would end Temporal's own list.
 */
export async function* listWorkflows(temporal: Client, query: string, pageSize?: number): AsyncGenerator<WorkflowExecutionInfo> {
  const { loadedDataConverter, namespace } = temporal.options;
  for await (const raw of listOpenWorkflows(temporal, query, pageSize)) yield infoOf(raw, loadedDataConverter, namespace);
}

function infoOf(raw: ListedWorkflow, converter: Client['options']['loadedDataConverter'], namespace: string) {
  raw.memo = null;
  return executionInfoFromRaw(raw, converter, raw, namespace);
}
