import { patched, workflowInfo } from '@temporalio/workflow';
import { changeAction } from '../../../core/access/change-action.js';
import { NO_AUTHORITY, type RecordedPrincipal } from '../../../core/access/recorded-principal.js';
import type { OperationRequest } from '../../../core/operation/operation.js';
import { callNearOrQueued, type HowNear } from '../../near-or-queued.js';
import { OperationStopped } from '../failures.js';

/** How long a decision counts, in milliseconds: a revocation is felt within the same time everywhere else. */
const COUNTS_MS = 5_000;

/** Whether the principal of an operation may still do what it does. */
export interface Authority {
  /** There was a wait: what was decided before it counts no longer. */
  expire(): void;
  /**
   * Decides again if that is due. Undefined if not: then there is nothing to wait for, and the order of what follows stays.
   *
   * It throws `authority-lost`, from then on each time
   */
  confirm(): Promise<void> | undefined;
}

/**
 * Authority is decided when an operation is submitted, and again when it begins after a wait: for a worker, in a queue, for
 * an approval or another answer, or in a pause. The owner of a home and members of its group have no account that could lose
 * a role: for them nothing is asked, and a preview changes nothing.
 *
 * @param continues whether a run before this one began the operation
 */
export function createAuthority(
  request: OperationRequest,
  how: Pick<HowNear, 'under' | 'say'>,
  continues: boolean,
): Authority | undefined {
  const { principal } = request;
  if (!principal || request.check) return undefined;
  let isDue = continues || Date.now() - workflowInfo().startTime.getTime() > COUNTS_MS;
  let asking: Promise<void> | undefined;
  return {
    expire() {
      isDue = true;
    },
    confirm() {
      // A worker may have taken over an operation that a former build began.
      if (isDue && patched('decide-authority-again')) asking = decideAgain(request, principal, how);
      isDue = false;
      const asked = asking;
      return asked?.then(() => {
        if (asking === asked) asking = undefined;
      });
    },
  };
}

async function decideAgain(request: OperationRequest, principal: RecordedPrincipal, how: HowNear): Promise<void> {
  const { id: operation, workspace, infra, intent, actor } = request;
  const asked = new Date(Date.now()).toISOString();
  const question = { principal, actor, operation, action: changeAction(intent.verb), workspace, infra, asked };
  const { refused } = await callNearOrQueued('decideAuthority', [question], { ...how, summary: 'Decide the authority again' });
  if (refused === undefined) return;
  throw new OperationStopped(
    {
      ...{ step: 'Decide the authority again', on: infra, code: NO_AUTHORITY, exitCode: 2 },
      why: `${actor} may not do "${question.action}" any more: ${refused}`,
      hint: 'submit it again with an account that may do this',
    },
    'keep',
  );
}
