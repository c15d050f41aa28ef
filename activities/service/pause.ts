import type { HostOf, HostRef } from '../host/host.js';
import type { Job } from '../host/journal/execute.js';

/** Work on a host that is to stop before its next step. */
export interface PauseInput extends HostRef, Job {}

export function createPause({ hostOf }: { hostOf: HostOf }) {
  /**
   * Asks `act` in flight to end before its next step. It says so by its result, and
   * goes on there when it is called again.
   *
   * @param count how many pauses the operation has had with this one
   */
  return async function pause(input: PauseInput & { count: number }): Promise<void> {
    const { operation, taskserv, generation, count } = input;
    await hostOf(input).pause({ operation, taskserv, generation }, count);
  };
}
