import { inputError } from '../../core/errors.js';
import type { Scope } from '../../core/machine/call-context.js';
import { cannotSwitch, type FoundPower, type PowerVerb } from '../../core/operation/power.js';
import type { Dependencies } from '../dependencies.js';
import type { HostOf, HostRef } from '../host/host.js';
import { callContexts } from './call-context.js';
import type { ConnectionOf } from './provider-connections.js';

/** The host, by the connection that the inventory has. */
export type PowerInput = HostRef;

/**
 * Switches machines. A machine with the wanted state stays so. An attempt after the death of its worker repeats only
 * missing changes. A restart is a stop and a start, so its second attempt does not repeat a finished half.
 */
export function createPowerActivities({
  taskQueue: setup,
  connectionOf,
  hostOf,
}: Pick<Dependencies, 'taskQueue'> & { connectionOf: ConnectionOf; hostOf: HostOf }) {
  const context = callContexts(setup);

  async function switchTo(action: 'start' | 'stop', { scope, provider, server, connection }: PowerInput): Promise<FoundPower> {
    const { power } = await connectionOf(provider);
    if (!power) throw cannotSwitch(action, [{ name: server }], noSwitch(provider));
    const { id, status, connection: now } = await power(server, action, context(scope));
    // Existing logins are lost.
    hostOf({ scope, provider, server, connection }).access.forget();
    return { server, id, status, connection: now };
  }

  return {
    /** How the servers are, by their provider; changes nothing. Refused: `cannot-switch`, `server-gone`. */
    async lookAtPower({
      scope,
      provider,
      servers,
      verb,
    }: {
      scope: Scope;
      provider: string;
      servers: string[];
      verb: PowerVerb;
    }): Promise<FoundPower[]> {
      const connection = await connectionOf(provider);
      if (!connection.power)
        throw cannotSwitch(
          verb,
          servers.map((name) => ({ name })),
          noSwitch(provider),
        );
      const [only = ''] = servers;
      const found =
        servers.length === 1
          ? [await connection.servers.read(only, context(scope))].flatMap((one) => one ?? [])
          : await connection.servers.list(context(scope));
      return servers.map((server) => {
        const there = found.find(({ name }) => name === server);
        if (there) return { server, id: there.id, status: there.status, connection: there.connection };
        throw inputError({
          code: 'server-gone',
          what: `${verb} the server`,
          on: server,
          why: `provider "${provider}" no longer has it`,
          hint: 'provisioning refresh --record removes it from the inventory',
        });
      });
    },

    /** Has its system end, then its power go; answers when it is off. */
    powerOff: (input: PowerInput): Promise<FoundPower> => switchTo('stop', input),

    /** Answers when it has its power; that it lets us in is `serverReady`'s to see. */
    powerOn: (input: PowerInput): Promise<FoundPower> => switchTo('start', input),
  };
}

const noSwitch = (provider: string): string => `the provider "${provider}" cannot switch servers on or off`;
