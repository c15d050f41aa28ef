import { type Client, WorkflowFailedError, WorkflowNotFoundError } from '@temporalio/client';
import { CancelledFailure } from '@temporalio/common';
import { isOpen } from '../../core/engine/is-open.js';
import { inputError } from '../../core/errors.js';
import { readCarriedResult } from '../../core/operation/carried-result.js';
import type { OperationKind, OperationResult, Rollback } from '../../core/operation/operation.js';
import { ProgressCopy } from '../../core/operation/progress-copy.js';
import type { RollbackOwner } from '../../stores/rollbacks.js';
import { isUnknownQuery } from '../ask-open.js';
import type { Dependencies } from '../dependencies.js';

type Sources = Pick<Dependencies, 'temporal' | 'rollbacks'>;

/** The operation that a roll-back rolls back, and the infra that both are about. */
export interface RollbackInput {
  of: string;
  workspace: string;
  infra: string;
}

/** Why it is not known what an operation did. `unknown`: there is no record of it, so that it may not have been begun. */
export interface MissingRecord {
  cannot: string;
  unknown?: true;
}

const NO_RECORD: MissingRecord = { cannot: 'there is no record of it, neither in Temporal nor in the store', unknown: true };
const NO_RESULT: MissingRecord = { cannot: 'it ended without saying what it did' };

/**
 * Returns the compensations of an operation, newest first, after its end. They come from the store, or from Temporal's
 * history for operations of former releases. Errors of the server or the network are thrown, so the query is repeated.
 */
export async function readCompensations(sources: Sources, owner: RollbackOwner): Promise<Rollback | MissingRecord> {
  const kept = await keptOf(sources, owner);
  if (kept) return kept;
  try {
    const result = await resultOf(sources.temporal, owner.operation);
    return result ? recordedIn(result) : NO_RESULT;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return NO_RECORD;
    throw error;
  }
}

/** The store's record of an operation. For a roll-back, the rest of the first one. */
async function keptOf({ rollbacks }: Sources, owner: RollbackOwner): Promise<Rollback | undefined> {
  const own = await rollbacks.read(owner);
  const of = own?.of ?? owner.operation;
  const first = own?.of === undefined ? own : await rollbacks.read({ ...owner, operation: own.of });
  if (!first) return undefined;
  const { compensations, rolledBack } = first;
  return { of, compensations, ...(rolledBack && { rolledBack }) };
}

const recordedIn = ({ operation, of, compensations }: OperationResult): Rollback => ({
  of: of ?? operation,
  compensations: compensations ?? [],
});

/** The recorded result of an operation; waits for its end. Undefined where it ended without one. */
async function resultOf(temporal: Client, operation: string): Promise<OperationResult | undefined> {
  const handle = temporal.workflow.getHandle(operation);
  try {
    return (await handle.result()) as OperationResult;
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    const carried = readCarriedResult<OperationResult>(error);
    if (carried) return carried;
    // The SDK drops the details of a cancellation.
    return error.cause instanceof CancelledFailure ? new ProgressCopy().askEnded(handle, isUnknownQuery) : undefined;
  }
}

const KINDS: readonly string[] = ['cluster', 'server', 'taskserv'] satisfies OperationKind[];

/** Finds the compensations for a roll-back in the operation's own record, never in the request. */
export function createFindCompensations(sources: Sources) {
  const { temporal } = sources;

  /** Refused: `unknown-operation`, `still-running`, `other-infra`, `nothing-to-roll-back`. */
  return async function findCompensations({ of, workspace, infra }: RollbackInput): Promise<Rollback> {
    const refuse = (code: string, why: string, hint: string) =>
      inputError({ code, what: 'roll back the operation', on: of, why, hint });
    const unknown = () => refuse('unknown-operation', `it cannot be undone: ${NO_RECORD.cannot}`, 'provisioning workflow list');
    const kept = await keptOf(sources, { workspace, infra, operation: of });
    if (kept) return kept;
    const found = await temporal.workflow
      .getHandle(of)
      .describe()
      .catch((error: unknown) => {
        if (error instanceof WorkflowNotFoundError) return undefined;
        throw error;
      });
    if (!found || !KINDS.includes(found.type)) throw unknown();
    if (isOpen(found.status.name)) throw refuse('still-running', 'it is still running', `provisioning workflow cancel ${of}`);
    const result = await resultOf(temporal, of);
    if (!result)
      throw refuse(
        'nothing-to-roll-back',
        `it cannot be undone: ${NO_RESULT.cannot}`,
        'provisioning orphans lists what it may have left',
      );
    if (result.operation !== of) throw unknown();
    if (result.workspace !== workspace || result.infra !== infra) {
      const why = `it worked on the infra "${result.infra}" of workspace "${result.workspace}"`;
      throw refuse('other-infra', why, `provisioning workflow status ${of}`);
    }
    return recordedIn(result);
  };
}
