import type { Lock } from '../../../core/infra/lock.js';
import { type HowNear, nearOrQueued } from '../../near-or-queued.js';

/**
 * Has it noted that this run was started with its message, before the run waits for
 * anything: one that ends in the queue could be begun again with it otherwise.
 * Fails as refused in a run that was started with a message of another run.
 *
 * @param under the lock that it is about to ask for
 * @param say receives what keeps it waiting
 */
export async function noteStart(under: () => Lock, say?: HowNear['say']): Promise<void> {
  await nearOrQueued('noteStart', [], { under, say, summary: 'Note the start' });
}
