import { ApplicationFailure } from '@temporalio/workflow';
import type { Definition } from '../../core/definition/definition.js';
import { describeFailedStep } from '../../core/errors.js';
import type { Inventory } from '../../core/infra/inventory.js';
import type { ApprovalPoint } from '../../core/operation/control.js';
import type { Failure, OperationRequest, OperationResult } from '../../core/operation/operation.js';
import type { Compensation } from '../../core/operation/to-undo.js';
import { nameOfDrain } from '../rollout/draining.js';

import type { AnyPhase, CompensationLog } from './operation.js';

/** What becomes of what was done after a failure. */
export const policyOf = (request: OperationRequest, definition: Definition | undefined) =>
  request.onFailure ?? request.definition?.onFailure ?? definition?.onFailure ?? 'rollback';

/**
 * What an operation has to wait for, by what was asked of it, by its definition,
 * and by the one that the infra has: as with `protect`, a file that no longer
 * says so does not free itself.
 */
export function approvalsOf({ request, inventory }: AnyPhase): Set<ApprovalPoint> {
  return new Set([...(request.approve ?? []), ...(request.definition?.approve ?? []), ...(inventory.definition?.approve ?? [])]);
}

/**
 * What becomes of an operation that tried something for as long as it may work. Unless somebody said otherwise a person
 * is asked, since nothing says that the work was wrong; where nothing was done yet it just fails, and can be run again.
 */
export function timeoutPolicyOf({
  request,
  inventory,
  compensations,
  progress,
}: AnyPhase & CompensationLog): 'ask' | 'keep' | 'rollback' {
  if (request.check) return 'keep';
  const said = findTimeoutPolicy({ request, inventory });
  const isBegun = compensations.length + progress.steps.executed > 0 || request.batch !== undefined;
  return said ?? (isBegun ? 'ask' : 'keep');
}

/** What command or definition say about what was tried for as long as it may work. */
export const findTimeoutPolicy = ({
  request,
  inventory,
}: Pick<AnyPhase, 'request' | 'inventory'>): 'ask' | 'keep' | 'rollback' | undefined =>
  request.onTimeout ?? request.definition?.onTimeout ?? inventory.definition?.onTimeout;

/** How an operation ended, in one line. */
export function summaryOf({ error, status, left, supersededBy }: OperationResult): string {
  if (supersededBy)
    return `superseded by ${supersededBy.operation}, which was submitted later (${supersededBy.submitted}): nothing was done`;
  const what = error ? describeFailedStep(error) : `the operation ${status}`;
  return left && left.length > 0 ? `${what} (left: ${left.join(', ')})` : what;
}

/** How an operation that did not end well fails in Temporal: with its result. */
export const failureWith = (result: OperationResult): ApplicationFailure =>
  ApplicationFailure.create({
    message: summaryOf(result),
    type: `operation-${result.status}`,
    nonRetryable: true,
    details: [result],
  });

/** What is there because nothing undid it, by name. What was asked for and never seen may not be: it says so. */
export function listLeft(compensations: readonly Compensation[], { servers, networks }: Inventory): string[] {
  const unseen = (one: Compensation) =>
    (one.undo === 'delete-server' && !servers[one.server]) || (one.undo === 'delete-network' && !networks[one.network]);
  const names = compensations.flatMap((one) =>
    one.undo === 'definition' ? [] : [`${nameOf(one)}${unseen(one) ? ', if it was made' : ''}`],
  );
  return [...new Set(names)];
}

/** What a compensation is about. */
export function nameOf(one: Compensation): string {
  switch (one.undo) {
    case 'delete-server':
      return `server ${one.server}`;
    case 'delete-network':
      return `network ${one.network}`;
    case 'start-server':
      return `server ${one.server}, switched off`;
    case 'update-server':
      return `server ${one.before.name} as changed`;
    case 'host-steps':
      return `taskserv ${one.taskserv} on ${one.server}`;
    case 'moved-data':
      return `the data of ${one.taskserv}, moved from ${one.from} to ${one.to}`;
    case 'drain':
      return nameOfDrain(one.drain);
    case 'definition':
      return 'the definition';
  }
}

/** `redis on db-1`, `server db-1`, `network shop`: what a step was done to, as a sentence has it. */
export function subjectOf(on: string): string {
  if (on.startsWith('network/')) return on.replace('/', ' ');
  const [server, taskserv] = on.split('/');
  return taskserv ? `${taskserv} on ${server}` : `server ${server}`;
}

/** What was given up, by name. */
export const unknownOutcome = ({ step, on, why }: Failure) =>
  `${subjectOf(on)} (${step}: ${why}; whether it took effect is not known: provisioning orphans)`;
