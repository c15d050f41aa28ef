import { type CallContext, type FoundServer, inputError } from '../../../sdk/index.js';
import { belongings, describeServer } from '../servers/describe.js';
import type { Account } from './account.js';
import type { InfraRegions } from './infra-regions.js';
import { findInstance, type StateOf, stateWatch } from './instances.js';
import type { Ask, Purpose, Region } from './region.js';
import type { Servers } from './server-lookup.js';
import { turns } from './single.js';
import { createNotSettled, lookUntilBelieved } from './waits.js';

export function openServers(account: Account, regions: InfraRegions): Servers {
  const { pollMs } = account;
  const inTurn = turns();

  const watches = new Map<string, StateOf>();
  const watchOf = (region: Region): StateOf => {
    const known = watches.get(region.name);
    if (known) return known;
    const made = stateWatch(region.for({ what: 'wait for servers', on: region.name }), pollMs);
    watches.set(region.name, made);
    return made;
  };

  const lookFor = async (name: string, context: CallContext, purpose: Purpose) => {
    for (const region of await regions.of(context)) {
      const ask = region.for(purpose);
      const instance = await findInstance(ask, name, context);
      if (instance) return { region, ask, instance, id: instance.InstanceId ?? '', stateOf: watchOf(region) };
    }
    return undefined;
  };

  return {
    account,
    regions,
    turn: ({ scope }, name, run) => inTurn(`${scope.uuid}/${name}`, run),
    watchOf,
    lookFor,
    locate: async (name, context, purpose) =>
      (await lookUntilBelieved({ pollMs, signal: context.signal }, () => lookFor(name, context, purpose))) ?? throwGone(name),
  };
}

/** Describes a server in one region; undefined if it is not there. */
export async function look(ask: Ask, name: string, context: CallContext): Promise<FoundServer | undefined> {
  const instance = await findInstance(ask, name, context);
  return instance && describeServer(instance, await belongings(ask, context, name));
}

export function throwAgain({ what, on }: Purpose): never {
  throw createNotSettled(what, on);
}

export function throwGone(name: string): never {
  throw inputError({ code: 'server-gone', what: 'use the server', on: name, why: 'AWS no longer has it' });
}
