import { type Client, WorkflowFailedError, WorkflowNotFoundError } from '@temporalio/client';
import { CancelledFailure } from '@temporalio/common';
import { isOpen } from '../../core/engine/is-open.js';
import { inputError } from '../../core/errors.js';
import { carriedResult } from '../../core/operation/carried-result.js';
import type { Compensation, OperationKind, OperationResult, Progress, Rollback } from '../../core/operation/operation.js';
import type { Dependencies } from '../dependencies.js';

/** The operation that a roll-back rolls back, and the infra that both are about. */
export interface RollbackInput {
  of: string;
  workspace: string;
  infra: string;
}

/**
 * What an operation left to be rolled back, newest first; waits for its end.
 * Nothing where it never was, was terminated or timed out: what such a one made,
 * orphans name. Throws what the server or the network throws, so that it is asked again.
 */
export async function compensationsOf(temporal: Client, operation: string): Promise<Compensation[]> {
  try {
    return (await resultOf(temporal, operation))?.compensations ?? [];
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return [];
    throw error;
  }
}

/** The recorded result of an operation; waits for its end. Undefined where it ended without one. */
async function resultOf(temporal: Client, operation: string): Promise<OperationResult | undefined> {
  const handle = temporal.workflow.getHandle(operation);
  try {
    return (await handle.result()) as OperationResult;
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    const carried = carriedResult<OperationResult>(error);
    if (carried) return carried;
    // The SDK drops the details of a cancellation.
    return error.cause instanceof CancelledFailure ? handle.query<Progress>('progress') : undefined;
  }
}

const KINDS: readonly string[] = ['cluster', 'server', 'taskserv'] satisfies OperationKind[];

/** What a roll-back needs to know: read from the operation itself, never taken from whoever asks for it. */
export function createFindCompensations({ temporal }: Pick<Dependencies, 'temporal'>) {
  /** Refused: `unknown-operation`, `still-running`, `other-infra`, `nothing-to-roll-back`. */
  return async function findCompensations({ of, workspace, infra }: RollbackInput): Promise<Rollback> {
    const refuse = (code: string, why: string, hint: string) =>
      inputError({ code, what: 'roll back the operation', on: of, why, hint });
    const unknown = () => refuse('unknown-operation', 'there is no operation of this id', 'provisioning workflow list');
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
        'it ended without saying what it did',
        'provisioning orphans lists what it may have left',
      );
    if (result.operation !== of) throw unknown();
    if (result.workspace !== workspace || result.infra !== infra) {
      const why = `it worked on the infra "${result.infra}" of workspace "${result.workspace}"`;
      throw refuse('other-infra', why, `provisioning workflow status ${of}`);
    }
    return { of: result.of ?? of, compensations: result.compensations ?? [] };
  };
}
