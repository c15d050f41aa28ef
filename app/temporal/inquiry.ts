import { randomBytes } from 'node:crypto';
import type { SearchAttributePair } from '@temporalio/common';
import type { Engine } from '../engine.js';
import { translateFault } from './fault.js';

interface Inquiry {
  /** Prefix of the workflow's id; the rest makes it unique. */
  id: string;
  /** The question, as one line for the Web UI. */
  summary: string;
  attributes?: SearchAttributePair[];
}

/**
 * Runs a short workflow to its end and returns its result. The worker, which has the credentials, sends the queries
 * within the limits of the accounts. It continues if the caller leaves.
 */
export async function inquire<Run extends (request: never) => Promise<unknown>>(
  { temporal, taskQueue }: Engine,
  workflow: string,
  request: Parameters<Run>[0],
  { id, summary, attributes }: Inquiry,
): Promise<Awaited<ReturnType<Run>>> {
  const workflowId = `${id}-${Date.now().toString(36)}${randomBytes(3).toString('hex')}`;
  try {
    const options = { workflowId, taskQueue, args: [request], staticSummary: summary };
    const answer = await temporal.workflow.execute(workflow, {
      ...options,
      ...(attributes && { typedSearchAttributes: attributes }),
    });
    return answer as Awaited<ReturnType<Run>>;
  } catch (error) {
    throw translateFault(error, workflowId);
  }
}
