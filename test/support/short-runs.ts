import { type Packable, unpackIfPacked } from '../../core/encoding/pack.js';
import { createDefinitionLog } from '../../core/infra/definition-log.js';
import type { FeedState } from '../../core/infra/feed-state.js';
import type { Inventory } from '../../core/infra/inventory.js';
import { infraWorkflowId } from '../../core/names.js';
import type { TestEngine } from './engine.js';

/**
 * Makes the entity of an infra begin a new run after this many events. It is terminated and recovered with its state
 * and the position of its feed.
 *
 * @returns the run that it begins with
 */
export async function withShortRuns({ temporal, taskQueue }: TestEngine, infra: string, continueAfter: number): Promise<string> {
  const scope = { workspace: 'default', infra };
  const workflowId = infraWorkflowId(scope.workspace, infra);
  const entity = temporal.workflow.getHandle(workflowId);
  // The stored state, not the state as answered.
  const inventory = unpackIfPacked(await entity.query<Packable<Inventory>>('inventory'));
  const { last } = await entity.query<FeedState>('feed');
  await entity.terminate('to have it begin new runs more often');
  const recovered = { inventory, definitions: createDefinitionLog(inventory.definition), last };
  const { firstExecutionRunId } = await temporal.workflow.start('infra', {
    workflowId,
    taskQueue,
    args: [{ ...scope, continueAfter, recovered }],
  });
  return firstExecutionRunId;
}
