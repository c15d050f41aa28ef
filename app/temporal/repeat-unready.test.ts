import { ServiceError, type WorkflowQueryInput } from '@temporalio/client';
import { expect, test } from 'vitest';
import { isUnready, repeatUnready } from './repeat-unready.js';

const failure = (code: number, details: string) =>
  new ServiceError('Failed to query Workflow', {
    cause: Object.assign(new Error(`${code}: ${details}`), { code, details, metadata: {} }),
  });
const LOST_TASKS = failure(9, 'Unable to query workflow due to Workflow Task in failed state.');
const input = {
  queryType: 'locks',
  args: [],
  workflowExecution: { workflowId: 'infra/default/shop' },
} as unknown as WorkflowQueryInput;

/** Queries a workflow that gives these answers, one after the other; the last answer stays. */
async function asked(answers: (Error | string)[], isForGood = false) {
  let tries = 0;
  const next = async () => {
    const answer = answers[Math.min(tries++, answers.length - 1)];
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const end = await repeatUnready(async () => isForGood, [0, 0, 0, 0])
    .query?.(input, next)
    .catch((error: unknown) => error);
  return { tries, end };
}

test('a query is repeated if the workflow can be asked nothing at the moment', async () => {
  const answers = [
    LOST_TASKS,
    failure(9, 'Cannot query workflow due to Workflow Task in failed state.'),
    failure(9, 'Workflow task is not scheduled yet.'),
    failure(9, 'Workflow state is not ready to handle the request.'),
    'free',
  ];
  expect(await asked(answers)).toEqual({ tries: 5, end: 'free' });
});

test('a workflow that stays unready is given up', async () => {
  expect(await asked([LOST_TASKS])).toEqual({ tries: 5, end: LOST_TASKS });
});

test('a workflow that answers nothing for good is asked once', async () => {
  expect(await asked([LOST_TASKS, 'free'], true)).toEqual({ tries: 1, end: LOST_TASKS });
});

test('any other error is the answer', async () => {
  for (const error of [
    failure(9, 'unexpected workflow task failure'),
    failure(5, 'Workflow Task in failed state'),
    new Error('x'),
  ]) {
    expect(isUnready(error)).toBe(false);
    expect(await asked([error, 'free'])).toEqual({ tries: 1, end: error });
  }
});
