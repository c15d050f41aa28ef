import type { Definition } from '../../core/definition/definition.js';
import { inputError } from '../../core/errors.js';
import type { Decision, Progress } from '../../core/operation/operation.js';
import type { Flags, OptionSpec } from '../command.js';
import { writeDocument } from '../render/document.js';
import type { Session } from '../session.js';
import { follow } from './follow.js';

export const NO_WAIT: OptionSpec = { flags: '--no-wait', about: 'return as soon as it has the answer' };

/** Answers an operation that waits after a failure, and follows it. */
export async function answer(
  session: Session,
  flags: Flags,
  operation: string,
  decision: Decision,
  definition?: Definition,
): Promise<number> {
  const more = { ...(flags.reason ? { why: flags.reason } : {}), ...(definition ? { definition } : {}) };
  await (await session.client()).decide(operation, decision, session.actor, more);
  if (flags.wait !== false) return follow(session, operation);
  if (session.json) writeDocument(session, { operation, decision });
  else session.out.write(`answered: ${decision}\nfollow it: provisioning workflow follow ${operation}\n`);
  return 0;
}

/** Refuses what makes sense only once an operation has stopped. */
export function checkStopped({ status, operation }: Progress, verb: string): void {
  if (status !== 'running' && status !== 'queued' && status !== 'paused') return;
  const hint = `provisioning workflow cancel ${operation}`;
  throw inputError({ code: 'still-running', what: `${verb} the operation`, on: operation, why: `it is still ${status}`, hint });
}
