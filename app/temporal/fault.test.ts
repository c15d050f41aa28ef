import { ServiceError, WorkflowFailedError } from '@temporalio/client';
import { ActivityFailure, ApplicationFailure, RetryState, TimeoutFailure, TimeoutType } from '@temporalio/common';
import { expect, test } from 'vitest';
import { createFailure } from '../../activities/failures.js';
import { inputError } from '../../core/errors.js';
import { translateFault } from './fault.js';

const ended = (cause: Error) => {
  const activity = new ActivityFailure('activity failed', 'findOrphans', '1', RetryState.NON_RETRYABLE_FAILURE, 'w', cause);
  return translateFault(
    new WorkflowFailedError('Workflow execution failed', activity, RetryState.NON_RETRYABLE_FAILURE),
    'orphans-list',
  );
};

test('why a workflow failed is told as the activity told it', () => {
  const told = inputError({ code: 'store-key', what: 'open the store', why: 'another key', hint: 'the same for all' });
  expect(ended(createFailure(told))).toMatchObject({ details: told.details });
});

test.each(['Blob data size exceeds limit.', 'Sent message larger than max (5242880 vs. 4194304)'])(
  'a refusal for size is the input’s fault, and is not tried again: %s',
  (text) => {
    const refused = Object.assign(new Error(text), { code: 3, details: text, metadata: {} });
    const error = translateFault(new ServiceError('Failed to start Workflow', { cause: refused }), 'cluster-ensure-shop-1');
    expect(error).toMatchObject({ details: { code: 'too-large', blame: 'user', on: 'cluster-ensure-shop-1' } });
  },
);

test('what failed otherwise is named by its last cause', () => {
  const timeout = new TimeoutFailure('activity StartToClose timeout', undefined, TimeoutType.START_TO_CLOSE);
  expect(ended(timeout)).toMatchObject({ details: { code: 'engine-not-answering', why: 'activity StartToClose timeout' } });
  expect(ended(ApplicationFailure.create({ message: 'boom' }))).toMatchObject({ details: { why: 'boom' } });
});
