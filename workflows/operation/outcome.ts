import { ApplicationFailure } from '@temporalio/workflow';
import type { Definition } from '../../core/definition/definition.js';
import { describeFailedStep } from '../../core/errors.js';
import type { Inventory } from '../../core/infra/inventory.js';
import type { ApprovalPoint } from '../../core/operation/control.js';
import type { Failure, OperationRequest, OperationResult } from '../../core/operation/operation.js';
import type { Compensation } from '../../core/operation/to-undo.js';
import { nameOfDrain } from '../rollout/draining.js';

import type { AnyPhase, CompensationLog } from './operation.js';

/** Policy after a failure. */
export const policyOf = (request: OperationRequest, definition: Definition | undefined) =>
  request.onFailure ?? request.definition?.onFailure ?? definition?.onFailure ?? 'rollback';

/**
 * Approval points of an operation: of its request, its definition, and the infra's present definition. As with
 * `protect`, a file that no longer has them does not remove them.
 */
export function approvalsOf({ request, inventory }: AnyPhase): Set<ApprovalPoint> {
  return new Set([...(request.approve ?? []), ...(request.definition?.approve ?? []), ...(inventory.definition?.approve ?? [])]);
}

/**
 * Policy after a time limit passed. By default a person is asked, because the work need not be wrong. If nothing was
 * done yet, the operation just fails, and can be repeated.
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

/** Policy of the command or definition after a time limit passed. */
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

/**
 * Names of resources that exist because they were not undone. A resource that was requested but never seen is marked
 * as uncertain.
 */
export function listLeft(compensations: readonly Compensation[], { servers, networks }: Inventory): string[] {
  const unseen = (one: Compensation) =>
    (one.undo === 'delete-server' && !servers[one.server]) || (one.undo === 'delete-network' && !networks[one.network]);
  const names = compensations.flatMap((one) =>
    one.undo === 'definition' ? [] : [`${nameOf(one)}${unseen(one) ? ', if it was made' : ''}`],
  );
  return [...new Set(names)];
}

/** Subject of a compensation. */
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

/** Name of work that was given up. */
export const unknownOutcome = ({ step, on, why }: Failure) =>
  `${subjectOf(on)} (${step}: ${why}; whether it took effect is not known: provisioning orphans)`;
