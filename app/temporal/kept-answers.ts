import type { Client, WorkflowHandle } from '@temporalio/client';
import { describeRun } from './describe-run.js';
import { ExpiringMap } from './expiring-map.js';
import { shareReads } from './shared-reads.js';

/** Answers that are kept, at most. */
const MOST = 2_000;
/** An answer is asked for again after this time, in milliseconds: a worker of another version may answer otherwise. */
const KEPT_MS = 300_000;

const answersOf = new WeakMap<Client, ExpiringMap<{ answer: unknown }>>();

/**
 * Queries a workflow, for what is asked often. The answer follows from the history: if that has not grown since the last
 * query, the same answer is returned, and no worker has to replay the workflow. Then a call costs one description.
 *
 * @param question identifies what `ask` queries
 * @returns the same object for several calls: callers must not change it
 * @throws as `describeRun` and the query
 */
export function askKept<Answer>(
  temporal: Client,
  { workflowId, question }: { workflowId: string; question: string },
  ask: (workflow: WorkflowHandle) => Promise<Answer>,
): Promise<Answer> {
  const answers = answersOf.get(temporal) ?? new ExpiringMap({ most: MOST, keptMs: KEPT_MS });
  answersOf.set(temporal, answers);
  const subject = `${workflowId} ${question}`;
  return shareReads(temporal).read(subject, async () => {
    // First: an answer that is newer than the described history is asked for once too often, an older one never again.
    const run = await describeRun(temporal, workflowId);
    const key = run && `${subject} ${run.runId} ${run.historyLength}`;
    const known = key === undefined ? undefined : answers.get(key);
    if (known) return known.answer as Answer;
    const answer = await ask(temporal.workflow.getHandle(workflowId));
    if (key !== undefined) answers.keep(key, { answer });
    return answer;
  });
}
