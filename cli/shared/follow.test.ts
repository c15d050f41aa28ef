import { expect, test } from 'vitest';
import { inputError } from '../../core/errors.js';
import { EXIT } from '../../core/exit-codes.js';
import type { Progress } from '../../core/operation/operation.js';
import { type Fakes, fakeSession, progressOf, resultOf } from '../fake-session.js';
import { follow } from './follow.js';

/** Follows an operation that waits with these questions in turn, and then ends. */
async function followed(questions: Progress['question'][], answers: string[], more: Fakes = {}) {
  const sent: unknown[] = [];
  const left = [...questions];
  const client: Fakes = {
    async *'operations.follow'() {
      const question = left.shift();
      if (question) yield { type: 'waiting', cursor: '1', progress: progressOf({ status: 'waiting', question, planHash: 'h' }) };
      else yield { type: 'end', cursor: '2', result: resultOf({ id: 'op', kind: 'cluster' }) };
    },
    'operations.approve': async (input) => void sent.push(['approve', input]),
    'operations.decide': async (input) => void sent.push(['decide', input]),
    'operations.resume': async (input) => void sent.push(['resume', input]),
    ...more,
  } as Fakes;
  const session = fakeSession({ client, interactive: true, answers });
  return { code: await follow(session, 'op'), sent };
}

test.each([
  ['approval', 'approve', ['approve', { operation: 'op', approved: true, plan: 'h' }]],
  ['approval', 'reject', ['approve', { operation: 'op', approved: false, plan: 'h' }]],
  ['cancel', 'resume', ['resume', { operation: 'op' }]],
  ['cancel', 'rollback', ['decide', { operation: 'op', decision: 'rollback' }]],
  ['cancel', 'keep', ['decide', { operation: 'op', decision: 'keep' }]],
  ['decision', 'retry', ['decide', { operation: 'op', decision: 'retry' }]],
  ['decision', 'rollback', ['decide', { operation: 'op', decision: 'rollback' }]],
  ['undo', 'skip', ['decide', { operation: 'op', decision: 'skip' }]],
] as const)('the question "%s" is answered with "%s", and the operation is followed on', async (question, answer, call) => {
  expect(await followed([question as Progress['question']], [answer])).toEqual({ code: EXIT.done, sent: [call] });
});

test.each(['approval', 'cancel', 'decision', 'undo'] as const)('without an answer to "%s" it waits on', async (question) => {
  expect(await followed([question as Progress['question']], [])).toEqual({ code: EXIT.interrupted, sent: [] });
});

test('a plan that another answer has changed is shown again', async () => {
  const changed = inputError({ code: 'plan-changed', what: 'approve it', on: 'op', why: 'it has another plan' });
  const refused: string[] = [];
  const more = {
    'operations.approve': async () => {
      refused.push('approve');
      throw changed;
    },
  } as Fakes;
  expect(await followed(['approval', 'cancel'], ['approve', 'keep'], more)).toEqual({
    code: EXIT.done,
    sent: [['decide', { operation: 'op', decision: 'keep' }]],
  });
  expect(refused).toEqual(['approve']);
});
