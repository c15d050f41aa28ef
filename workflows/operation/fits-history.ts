import { inputError } from '../../core/errors.js';
import { CONTINUE_AFTER, eventsOfLooks, MOST_EVENTS } from '../../core/operation/history-size.js';
import type { AnyPhase } from './operation.js';

/** Events that a decision has where it begins as late as it may in its run. */
const FOR_LOOKS = MOST_EVENTS - CONTINUE_AFTER;

/**
 * Refuses to look at more hosts than fit into the history of one run: what is decided is decided whole.
 *
 * @throws inputError `too-large`
 */
export function refuseTooMany({ request }: AnyPhase, hosts: number): void {
  const events = eventsOfLooks(hosts);
  if (events <= FOR_LOOKS) return;
  throw inputError({
    code: 'too-large',
    what: 'begin the operation',
    on: request.infra,
    why: `the look at ${hosts} hosts needs about ${events} events of history; one decision may use ${FOR_LOOKS}`,
    hint: 'divide it: some taskservs or servers at a time, with `taskserv` and `server` commands or a batch',
  });
}
