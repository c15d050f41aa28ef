import { setTimeout as sleep } from 'node:timers/promises';
import { type CallContext, inputError, orNothing, type ProviderConnection, type ServerFound } from '../../sdk/index.js';
import { addressesOf, associateAddress } from './addresses.js';
import type { Account, Ask, Purpose, Region } from './ec2/account.js';
import type { InfraRegions } from './ec2/infra-regions.js';
import { findInstance, instancesWith, type StateOf, stateWatch } from './ec2/instances.js';
import { launch } from './ec2/launch.js';
import { turns } from './ec2/single.js';
import { marked } from './ec2/tags.js';
import { takeAway } from './ec2/take-away.js';
import { believed, notSettled } from './ec2/waits.js';
import { removeServer } from './servers/delete.js';
import { belongings, describeServer, diffServer } from './servers/describe.js';
import { power } from './servers/power.js';
import { updateServer } from './servers/update.js';
import { attachVolumes, volumesOf } from './volumes.js';

type Verbs = ProviderConnection['servers'] & Required<Pick<ProviderConnection, 'power' | 'console'>>;

/** Servers that are instances of EC2. */
export function serverVerbs(account: Account, regions: InfraRegions): Verbs {
  const { pollMs } = account;
  const inTurn = turns();
  const turn = <T>({ scope }: CallContext, name: string, run: () => Promise<T>) => inTurn(`${scope.uuid}/${name}`, run);

  const watches = new Map<string, StateOf>();
  const watchOf = (region: Region): StateOf => {
    const known = watches.get(region.name);
    if (known) return known;
    const made = stateWatch(region.for({ what: 'wait for servers', on: region.name }), pollMs);
    watches.set(region.name, made);
    return made;
  };

  /** The instance of a server, with the region that it is in. */
  const lookFor = async (name: string, context: CallContext, purpose: Purpose) => {
    for (const region of await regions.of(context)) {
      const ask = region.for(purpose);
      const instance = await findInstance(ask, name, context);
      if (instance) return { region, ask, instance, id: instance.InstanceId ?? '', stateOf: watchOf(region) };
    }
    return undefined;
  };
  /** One that has to be there. Throws the input error `server-gone`. */
  const locate = async (name: string, context: CallContext, purpose: Purpose) =>
    (await believed({ pollMs, signal: context.signal }, () => lookFor(name, context, purpose))) ?? gone(name);

  const look = async (ask: Ask, name: string, context: CallContext): Promise<ServerFound | undefined> => {
    const instance = await findInstance(ask, name, context);
    return instance && describeServer(instance, await belongings(ask, context, name));
  };

  const read = async (name: string, context: CallContext) => {
    const found = await lookFor(name, context, { what: 'read the server', on: name, signal: context.signal });
    return found && describeServer(found.instance, await belongings(found.ask, context, name));
  };

  return {
    read,
    diff: diffServer,

    async list(context) {
      const { workspace, infra, uuid } = context.scope;
      const purpose = { what: 'list the servers', on: infra, signal: context.signal };
      const inRegion = async (region: Region) => {
        const ask = region.for(purpose);
        const instances = await instancesWith(ask, marked({ workspace, infra, uuid, kind: 'server' }));
        if (instances.length === 0) return [];
        const all = await belongings(ask, context);
        return instances.map((instance) => describeServer(instance, all));
      };
      const found = await Promise.all((await regions.of(context)).map(inRegion));
      return found.flat().sort((a, b) => (a.name < b.name ? -1 : 1));
    },

    create: (wanted, context) =>
      turn(context, wanted.name, async () => {
        context.signal?.throwIfAborted();
        const purpose = { what: 'create the server', on: wanted.name, signal: context.signal };
        const place = await account.place(wanted.zone, purpose);
        regions.note(context, place.in);
        const ask = place.in.for(purpose);
        const there = await look(ask, wanted.name, context);
        if (there) return there;
        const making = { ...context, pollMs };
        return orNothing({
          make: () => launch(ask, wanted, place.availabilityZone, making),
          takeAway: () => takeAway(ask, wanted.name, making),
          pause: sleep,
        });
      }),

    async ready(name, context) {
      const { signal, beat } = context;
      const purpose = { what: 'wait for the server', on: name, signal };
      const { ask, id, instance, stateOf } = await locate(name, context, purpose);
      for (let state = instance.State?.Name as string | undefined; state !== 'running'; state = await stateOf(id, signal)) {
        if (state === 'terminated' || state === 'shutting-down') return gone(name);
        beat?.('Wait for its start');
      }
      await attachVolumes(ask, id, await volumesOf(ask, context, name));
      await associateAddress(ask, id, await addressesOf(ask, context, name));
      return (await look(ask, name, context)) ?? again(purpose);
    },

    update: (wanted, context) =>
      turn(context, wanted.name, async () => {
        const purpose = { what: 'update the server', on: wanted.name, signal: context.signal };
        const { ask, instance, stateOf } = await locate(wanted.name, context, purpose);
        await updateServer(ask, instance, wanted, { ...context, pollMs, stateOf });
        return (await look(ask, wanted.name, context)) ?? again(purpose);
      }),

    delete: (name, context) =>
      turn(context, name, async () => {
        const purpose = { what: 'delete the server', on: name, signal: context.signal };
        for (const region of await regions.search(context)) {
          await removeServer(region.for(purpose), name, { ...context, pollMs, stateOf: watchOf(region) });
        }
      }),

    async console(name, context) {
      const purpose = { what: 'read the console', on: name, signal: context.signal };
      const { ask, id } = await locate(name, context, purpose);
      const { Output } = await ask((ec2, options) => ec2.getConsoleOutput({ InstanceId: id, Latest: true }, options));
      return Output && Buffer.from(Output, 'base64').toString('utf8');
    },

    power: (name, action, context) =>
      turn(context, name, async () => {
        const purpose = { what: `${action} the server`, on: name, signal: context.signal };
        const { ask, instance, stateOf } = await locate(name, context, purpose);
        await power(ask, instance, action, { ...context, stateOf });
        return (await look(ask, name, context)) ?? again(purpose);
      }),
  };
}

function again({ what, on }: Purpose): never {
  throw notSettled(what, on);
}

function gone(name: string): never {
  throw inputError({ code: 'server-gone', what: 'use the server', on: name, why: 'AWS no longer has it' });
}
