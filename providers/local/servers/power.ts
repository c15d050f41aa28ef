import type Docker from 'dockerode';
import type { CallContext, FoundServer } from '../../../sdk/index.js';
import type { Servers } from '../docker/server-lookup.js';
import { throwGone } from '../docker/servers.js';
import { call, statusOf } from '../errors.js';

/** Time limit of a stop before the container is killed, in seconds. */
const STOP_S = 20;

/** Stops, starts or restarts a server. */
export const powerServer = (
  { docker, find, look }: Servers,
  name: string,
  action: 'start' | 'stop' | 'restart',
  context: CallContext,
): Promise<FoundServer> =>
  call(`${action} the server`, name, context.signal, async () => {
    const container = docker.getContainer((await find(name, context)) ?? throwGone(name));
    if (action === 'restart') await container.restart({ t: STOP_S });
    else if (action === 'start') await start(container);
    else await container.stop({ t: STOP_S }).catch(unlessSoAlready);
    return (await look(container.id, context)) ?? throwGone(name);
  });

export async function start(container: Docker.Container): Promise<void> {
  await container.start().catch(unlessSoAlready);
}

/** Ignores status 304: it already runs or is stopped, possibly due to another attempt. */
function unlessSoAlready(error: unknown): void {
  if (statusOf(error) !== 304) throw error;
}
