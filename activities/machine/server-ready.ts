import { cancellationSignal, heartbeat } from '@temporalio/activity';
import type { Connection, Scope, ServerFound } from '../../core/machine/provider.js';
import type { Dependencies } from '../dependencies.js';
import { claimScript, refuseForeign, targetOf } from '../host/script/look.js';
import { firstContact } from '../host/ssh/first-contact.js';
import { replaceHostKey } from '../host/ssh/replace-host-key.js';
import { sayFirstSeen } from '../host/ssh/say-first-seen.js';
import { SHORT_MS } from '../host/time-limits.js';
import type { Transports } from '../host/transport.js';
import { callContexts } from './call-context.js';
import type { ConnectionOf } from './provider-connections.js';
import type { ServerInput } from './servers.js';

/** Waits until the machine lets us in by SSH, with the pinned host key, and has finished its first boot. */
export function createServerReady({
  keys,
  logs,
  transports,
  taskQueue: setup,
  connectionOf,
}: Dependencies & { connectionOf: ConnectionOf }) {
  const callContext = callContexts(setup);

  return async function serverReady(
    input: ServerInput & { connection?: Connection },
  ): Promise<{ id: string; connection: Connection; devices?: Record<string, string>; hostKey?: string }> {
    const { scope, spec } = input;
    const provider = await connectionOf(spec.provider);
    const beat = (what: string) => heartbeat({ server: spec.name, step: what });
    const ready: Pick<ServerFound, 'id' | 'connection' | 'devices'> =
      spec.host && input.connection
        ? { id: `host:${spec.name}`, connection: input.connection }
        : await provider.servers.ready(spec.name, { ...callContext(scope), beat });
    const target = targetOf({ scope, server: spec.name, connection: ready.connection });
    if (spec.host) {
      beat('Log in');
      await claimHost(transports, { scope, server: spec.name, connection: ready.connection });
    } else if (ready.connection.kind !== 'demo') {
      const console = async () => provider.console?.(spec.name, callContext(scope));
      await firstContact({ transports, target, beat, console, signal: cancellationSignal() });
      await replaceHostKey({ keys, transports, target, beat, signal: cancellationSignal() });
    }
    const { id, connection, devices } = ready;
    const hostKey = await sayFirstSeen(transports, logs, { scope, server: spec.name, connection });
    return { id, connection, ...(devices ? { devices } : {}), ...(hostKey ? { hostKey } : {}) };
  };
}

/** Marks a machine that was there as this infra's. */
async function claimHost(transports: Transports, host: { scope: Scope; server: string; connection: Connection }): Promise<void> {
  const transport = await transports.open(targetOf(host));
  const { stdout } = await transport.exec(claimScript(host.scope), { signal: cancellationSignal(), limitMs: SHORT_MS });
  refuseForeign(host, stdout.trim() || undefined);
}
