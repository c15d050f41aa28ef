import { WithStartWorkflowOperation, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure, type Workflow } from '@temporalio/common';
import type { Definition } from '../../core/definition/definition.js';
import type { Grant } from '../../core/infra/lock.js';
import { infraWorkflowId, UNKNOWN_DEFINITION } from '../../core/names.js';
import type { LockRequest, Wishes } from '../../core/operation/operation.js';
import type { BatchHeader } from '../../core/schema/batch-request.js';
import type { Dependencies } from '../dependencies.js';
import { entityStart } from '../infra/entity.js';
import type { BatchDefinition } from './definitions.js';

/** Definitions of which it is remembered that an infra has them. */
const REMEMBERED = 20_000;

/** Requests an infra's locks for operations of a batch, and returns the grants that exist by now. */
export function grantsBy({ temporal, taskQueue }: Pick<Dependencies, 'temporal' | 'taskQueue'>) {
  /** Definitions that an infra already got. The oldest are forgotten, and sent again. */
  const sent = new Set<string>();

  /** @param brings what they are to apply: sent along once, and again where the infra does not have it any more */
  return async function grantsFor(
    infra: string,
    { workspace, submitted }: BatchHeader,
    wished: LockRequest[],
    brings?: BatchDefinition,
  ): Promise<Map<string, Grant>> {
    const mark = `${infraWorkflowId(workspace, infra)} ${brings?.hash}`;
    const wishes = wished.map((wish) => ({ ...wish, submitted, ...(brings && { applies: brings.hash }) }));
    const ask = (definition?: Definition) =>
      temporal.workflow.executeUpdateWithStart<Workflow, Record<string, Grant>, [Wishes]>('acquireMany', {
        args: [{ wishes, ...(definition && { definition }) }],
        startWorkflowOperation: new WithStartWorkflowOperation('infra', entityStart(workspace, infra, taskQueue)),
      });
    const grants = await ask(sent.has(mark) ? undefined : brings?.definition).catch((error: unknown) => {
      if (brings && isUnknownDefinition(error)) return ask(brings.definition);
      throw error;
    });
    if (brings) sent.add(mark);
    if (sent.size > REMEMBERED) sent.delete(sent.values().next().value as string);
    return new Map(Object.entries(grants));
  };
}

const isUnknownDefinition = (error: unknown): boolean =>
  error instanceof WorkflowUpdateFailedError &&
  error.cause instanceof ApplicationFailure &&
  error.cause.type === UNKNOWN_DEFINITION;
