import type { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { ActivityInterceptors } from '@temporalio/worker';
import { openMessage, REFUSALS, REFUSED, type Refusal, type SealedMessage } from '../core/encoding/sealed-message.js';
import type { Claims } from '../stores/claims.js';
import { beginAttempt } from './worked-time.js';

/**
 * What stands around every activity: it does only what a workflow of this set-up
 * asks of it in the very run that it is of, and that run must be the one that the
 * message which started it was first used for.
 */
export const sealedActivities =
  (claims: Claims) =>
  (context: Context): ActivityInterceptors => ({
    inbound: {
      async execute(input, next) {
        const { activityType: name } = context.info;
        const run = context.info.workflowExecution?.runId ?? '';
        const message = openMessage(input.args, { kind: 'activity', name, run });
        if (message === 'unknown-key') throw refusal(name, message, true);
        if (typeof message === 'string') throw refusal(name, message);
        if (!(await claims.claim(message.start ?? '', run))) throw refusal(name, 'repeated');
        beginAttempt(context, message.patienceMs);
        const result = await next({ ...input, args: message.args });
        return { kind: 'result', name, id: message.id, at: Date.now(), run, args: [result] } satisfies SealedMessage;
      },
    },
  });

const refusal = (name: string, why: Refusal, retryable = false) =>
  ApplicationFailure.create({
    message: `the activity "${name}" was refused: ${REFUSALS[why]}`,
    type: REFUSED,
    nonRetryable: !retryable,
  });
