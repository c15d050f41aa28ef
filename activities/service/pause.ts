import type { Dependencies } from '../dependencies.js';
import { type Job, pauseSteps } from '../host/journal/execute.js';
import { type HostRef, targetOf } from '../host/script/look.js';
import type { ConnectionOf } from '../machine/provider-connections.js';

/** Work on a host that is to stop before its next step. */
export interface PauseInput extends HostRef, Job {
  provider: string;
}

export function createPause({ transports, connectionOf }: Dependencies & { connectionOf: ConnectionOf }) {
  /**
   * Asks `act` in flight to end before its next step. It says so by its result, and
   * goes on there when it is called again.
   *
   * @param count how many pauses the operation has had with this one
   */
  return async function pause(input: PauseInput & { count: number }): Promise<void> {
    const { connection, provider, operation, server, taskserv, generation, count } = input;
    if (connection.kind === 'demo') {
      const key = `${operation}/${server}/${taskserv}/${generation}`;
      await (await connectionOf(provider)).host?.(connection.server).pause(key, count);
    } else await pauseSteps(await transports.open(targetOf(input)), input, count);
  };
}
