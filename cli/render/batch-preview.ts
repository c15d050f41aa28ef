import { groupByKey } from '../../core/grouped.js';
import type { BatchOperation } from '../../core/schema/batch-request.js';
import type { BatchPlan } from '../../definition/batch/load-batch.js';
import { paintFor, type Screen } from '../program/screen.js';

/** Maximum number of names in a preview line. */
const NAMED = 6;

export interface BatchPreview {
  name: string;
  operations: number;
  parallel: number;
  accounts: Record<string, number>;
  onFailure: string;
  /** Points at which it waits for an approval. */
  approve?: string[];
  /** Stages in order, with their operations grouped by kind. */
  stages: { stage: number; operations: number; does: { what: string; count: number; names: string[] }[] }[];
}

/** Summarizes the effects of a batch. */
export function previewBatch({ name, operations, parallel, accounts, onFailure, approve }: BatchPlan): BatchPreview {
  const stages = [...groupByKey(operations, ({ stage }) => stage)].sort(([a], [b]) => a - b);
  return {
    name,
    operations: operations.length,
    parallel,
    accounts,
    onFailure,
    ...(approve && { approve }),
    stages: stages.map(([stage, members]) => ({
      stage: stage + 1,
      operations: members.length,
      does: [...groupByKey(members, whatOf)].map(([what, alike]) => ({
        what,
        count: alike.length,
        names: alike.slice(0, NAMED).map((one) => one.name),
      })),
    })),
  };
}

export function writePreview(screen: Screen, plan: BatchPlan): void {
  const paint = paintFor(screen);
  const { name, operations, parallel, accounts, onFailure, approve, stages } = previewBatch(plan);
  const limits = [`${parallel} at once`, ...Object.entries(accounts).map(([account, limit]) => `${limit} on account "${account}"`)];
  screen.write(
    `${paint('bold', name)}: ${operations} operations in ${stages.length} stages, at most ${limits.join(', ')}; after a failure: ${onFailure}${approve ? '; waits for an approval before each stage but the first' : ''}\n`,
  );
  for (const { stage, operations: count, does } of stages) {
    screen.write(`${paint('cyan', `stage ${stage}`)}  ${count}\n`);
    for (const { what, count: alike, names } of does) {
      const more = alike > names.length ? ` and ${alike - names.length} more` : '';
      screen.write(`  ${what}: ${names.join(', ')}${more}\n`);
    }
  }
}

const whatOf = ({ kind, verb, prune, taskservs, definition, allowDestroy }: BatchOperation): string => {
  const what = taskservs ? `taskservs ${taskservs.join(', ')}` : kind;
  const how = prune ? 'apply' : verb;
  return `${how} ${what}${definition ? ` of ${definition}` : ''}${allowDestroy && verb !== 'delete' ? ', may destroy' : ''}`;
};
