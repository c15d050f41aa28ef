import type { Definition } from '../../core/definition/definition.js';
import { inputError } from '../../core/errors.js';
import type { Decision, Progress } from '../../core/operation/operation.js';
import type { FlagsOf, OptionSpec } from '../command.js';
import type { Session } from '../program/session.js';
import { writeDocument } from '../render/document.js';
import { follow } from './follow.js';

export const NO_WAIT = {
  flags: '--no-wait',
  about: 'return as soon as the operation has received the decision',
} as const satisfies OptionSpec;

/** Answers an operation that waits after a failure, and follows it. */
export async function answer(
  session: Session,
  flags: FlagsOf<[typeof NO_WAIT]> & { reason?: string },
  operation: string,
  decision: Decision,
  definition?: Definition,
): Promise<number> {
  await (await session.client()).operations.decide({ operation, decision, why: flags.reason, definition });
  if (flags.wait !== false) return follow(session, operation);
  if (session.json) writeDocument(session, { operation, decision });
  else session.out.write(`answered: ${decision}\nfollow it: provisioning workflow follow ${operation}\n`);
  return 0;
}

/** Rejects commands that require a stopped operation. */
export function checkStopped({ status, operation }: Progress, verb: string): void {
  if (status !== 'running' && status !== 'queued' && status !== 'paused') return;
  const hint = `provisioning workflow cancel ${operation}`;
  throw inputError({ code: 'still-running', what: `${verb} the operation`, on: operation, why: `it is still ${status}`, hint });
}
