import type { Client } from '../../client/client.js';
import type { By } from '../../core/operation/control.js';
import type { Command, Flags, OptionSpec } from '../command.js';
import { writeDocument } from '../render/document.js';
import type { Session } from '../session.js';
import { follow } from './follow.js';

export const REASON: OptionSpec = { flags: '--reason <text>', about: "why; kept in the operation's record beside who" };

export const FORCE: OptionSpec = {
  flags: '--force',
  about: 'give up the current step while it stops or rolls back; it is named as left, and the rest goes on',
};

/** Who controls, and why. */
export const byOf = (session: Session, { reason }: Flags): By => ({ actor: session.actor, ...(reason ? { why: reason } : {}) });

/** Says what was done to an operation. */
export function said(session: Session, operation: string, did: string): number {
  if (session.json) writeDocument(session, { operation, did });
  else session.out.write(`${did}: ${operation}\nfollow it: provisioning workflow follow ${operation}\n`);
  return 0;
}

/** Gives up the current step, and says so. */
export async function force(session: Session, flags: Flags, operation: string): Promise<number> {
  await (await session.client()).force(operation, byOf(session, flags));
  return said(session, operation, 'gave up the current step');
}

interface Spec {
  did: string;
  details: string;
  examples: string[];
  act(client: Client, operation: string, by: By): Promise<void>;
  /** Follows it afterwards, unless told not to. */
  follows?: boolean;
}

/** A command that does one thing to an operation that runs. */
export function controlCommand({ did, details, examples, act, follows }: Spec): Command {
  return {
    arguments: [['<operation>', 'id of the operation']],
    options: [REASON, ...(follows ? [{ flags: '--no-wait', about: 'return as soon as it has the answer' }] : [])],
    details,
    examples,
    async run(session, { args: [operation = ''], flags }) {
      await act(await session.client(), operation, byOf(session, flags));
      if (follows && flags.wait !== false) return follow(session, operation);
      return said(session, operation, did);
    },
  };
}
