import { Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { ActivityInterceptors } from '@temporalio/worker';
import { openMessage, REFUSAL_TYPE, REFUSALS, type Refusal, type SealedMessage } from '../core/encoding/sealed-message.js';
import type { Claims } from '../stores/claims.js';
import { beginUnder } from './fence.js';
import { beginAttempt } from './worked-time.js';

/**
 * Interceptors of every activity. An activity runs only if a workflow of this set-up requested it in the same run.
 * That run must be the first that used its start message, or a *Reset* of that run by an operation that names the lock
 * under which it works (fence.ts).
 */
export const createSealingInterceptors =
  (claims: Claims, temporal: Client) =>
  (context: Context): ActivityInterceptors => ({
    inbound: {
      async execute(input, next) {
        const { activityType: name } = context.info;
        const { workflowId = '', runId: run = '' } = context.info.workflowExecution ?? {};
        const message = openMessage(input.args, { kind: 'activity', name });
        if (message === 'unknown-key') throw refusal(name, message, true);
        if (typeof message === 'string') throw refusal(name, message);
        const { run: asking = '', resetOf = asking } = message;
        // The new run requests work again, unchanged, that the run before the reset requested and did not finish.
        const original = asking === run ? resetOf : await originalRun(temporal, workflowId, run);
        const isReset = original !== run;
        let why: Refusal | undefined;
        if (resetOf !== original) why = 'not-for-this';
        else if (isReset && !message.under) why = 'reset';
        else if (!(await claims.claim(message.start ?? '', original))) why = 'repeated';
        if (why) throw refusal(name, why);
        // The context of the one that works: beside the places of the worker it is another one.
        beginAttempt(Context.current(), message.patienceMs);
        beginUnder(Context.current(), message, isReset);
        const result = await next({ ...input, args: message.args });
        return { kind: 'result', name, id: message.id, at: Date.now(), run, args: [result] } satisfies SealedMessage;
      },
    },
  });

/** The run of which a run is a *Reset*, or itself, as Temporal's first event of it says. */
async function originalRun(
  { workflowService, options: { namespace } }: Client,
  workflowId: string,
  runId: string,
): Promise<string> {
  const execution = { workflowId, runId };
  const { history } = await workflowService.getWorkflowExecutionHistory({ namespace, execution, maximumPageSize: 1 });
  return history?.events?.[0]?.workflowExecutionStartedEventAttributes?.originalExecutionRunId ?? runId;
}

const refusal = (name: string, why: Refusal, retryable = false) =>
  ApplicationFailure.create({
    message: `the activity "${name}" was refused: ${REFUSALS[why]}`,
    type: REFUSAL_TYPE,
    nonRetryable: !retryable,
  });
