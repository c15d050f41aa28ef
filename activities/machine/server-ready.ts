import type { Connection, FoundServer } from '../../core/machine/provider.js';
import type { Dependencies } from '../dependencies.js';
import type { HostOf } from '../host/host.js';
import { sayFirstSeen } from '../host/say-first-seen.js';
import { FIRST_BOOT } from '../host/ssh/first-contact.js';
import { awaitAnswer, beat as beatOnce } from '../worked-time.js';
import { callContexts } from './call-context.js';
import type { ConnectionOf } from './provider-connections.js';
import type { ServerInput } from './servers.js';

/** Waits until the machine lets us in, and has finished its first boot. */
export function createServerReady({
  logs,
  taskQueue: setup,
  connectionOf,
  hostOf,
}: Pick<Dependencies, 'logs' | 'taskQueue'> & { connectionOf: ConnectionOf; hostOf: HostOf }) {
  const callContext = callContexts(setup);

  return async function serverReady(
    input: ServerInput & { connection?: Connection },
  ): Promise<{ id: string; connection: Connection; devices?: Record<string, string>; hostKey?: string }> {
    const { scope, spec } = input;
    const provider = await connectionOf(spec.provider);
    const isIn = awaitAnswer(spec.name);
    const beat = (what: string) => {
      if (what === FIRST_BOOT) isIn();
      beatOnce({ server: spec.name, step: what });
    };
    const ready: Pick<FoundServer, 'id' | 'connection' | 'devices'> =
      spec.host && input.connection
        ? { id: `host:${spec.name}`, connection: input.connection }
        : await provider.servers.ready(spec.name, { ...callContext(scope), beat });
    const { id, connection, devices } = ready;
    const host = hostOf({ scope, server: spec.name, provider: spec.provider, connection });
    if (spec.host) {
      beat('Log in');
      await host.access.claim();
    } else {
      const console = async () => provider.console?.(spec.name, callContext(scope));
      await host.access.firstContact({ beat, console });
    }
    isIn();
    const hostKey = await sayFirstSeen(host, spec.name, logs);
    return { id, connection, ...(devices ? { devices } : {}), ...(hostKey ? { hostKey } : {}) };
  };
}
