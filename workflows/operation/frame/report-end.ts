import { proxySinks, type Sinks } from '@temporalio/workflow';
import type { Progress } from '../../../core/operation/operation.js';

/**
 * Reports of workflows to their worker's process. A report adds nothing to history, and is lost if that process dies.
 */
export interface OperationSinks extends Sinks {
  operations: {
    /** An operation has ended, as its progress says. */
    ended(progress: Progress): void;
  };
}

const { operations } = proxySinks<OperationSinks>();

/** Reports how the operation ended, to be kept. */
export const reportEnded = (progress: Progress): void => operations.ended(progress);
