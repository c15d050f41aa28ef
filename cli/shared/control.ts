import type { Client } from '../../client/client.js';
import { type Command, defineCommand, type FlagsOf, type OptionSpec } from '../command.js';
import type { Session } from '../program/session.js';
import { writeDocument } from '../render/document.js';
import { NO_WAIT } from './answer.js';
import { follow } from './follow.js';

export const REASON = {
  flags: '--reason <text>',
  about: 'reason; stored in the record of the operation with your name',
} as const satisfies OptionSpec;

export const FORCE = {
  flags: '--force',
  about: 'abandon the current step while the operation stops or rolls back; the result lists it, and the other steps continue',
} as const satisfies OptionSpec;

/** Reports what was done to an operation. */
export function reportDone(session: Session, operation: string, did: string): number {
  if (session.json) writeDocument(session, { operation, did });
  else session.out.write(`${did}: ${operation}\nfollow it: provisioning workflow follow ${operation}\n`);
  return 0;
}

/** Gives up the current step and reports it. */
export async function force(session: Session, flags: FlagsOf<[typeof REASON]>, operation: string): Promise<number> {
  await (await session.client()).operations.force({ operation, why: flags.reason });
  return reportDone(session, operation, 'gave up the current step');
}

interface Spec {
  did: string;
  details: string;
  examples: string[];
  act(client: Client, operation: string, why: string | undefined): Promise<void>;
  /** Whether it follows the operation afterwards by default. */
  follows?: boolean;
}

/** Declares a command that controls a running operation. */
export function controlCommand({ did, details, examples, act, follows }: Spec): Command {
  return defineCommand({
    arguments: [['<operation>', 'id of the operation']],
    options: [REASON, ...(follows ? [NO_WAIT] : [])],
    details,
    examples,
    async run(session, { args: [operation = ''], flags }) {
      await act(await session.client(), operation, flags.reason);
      if (follows && flags.wait !== false) return follow(session, operation);
      return reportDone(session, operation, did);
    },
  });
}
