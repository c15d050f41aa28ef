import type { CreateContext, FoundServer, WantedServer } from '../../../sdk/index.js';
import { dockerName } from '../docker/labels.js';
import { recordOf, writeRecord } from '../docker/record.js';
import type { Servers } from '../docker/server-lookup.js';
import { throwGone } from '../docker/servers.js';
import { call } from '../errors.js';
import { limitsOf } from '../plans.js';
import { start } from './power.js';

/** Updates limits, labels and network of a container, and starts a stopped one. */
export const updateServer = (
  { docker, machine, find, look }: Servers,
  wanted: WantedServer,
  context: CreateContext,
): Promise<FoundServer> =>
  call('update the server', wanted.name, context.signal, async () => {
    const id = await find(wanted.name, context);
    if (!id) return throwGone(wanted.name);
    const container = docker.getContainer(id);
    const limits = limitsOf(wanted.plan, (await machine()).cores);
    await container.update({ NanoCpus: limits.nanoCpus, Memory: limits.memory, MemorySwap: limits.memory });
    await writeRecord(container, recordOf(wanted, limits));
    const { State, NetworkSettings } = await container.inspect();
    const network = dockerName(context.scope, wanted.network);
    if (!(network in NetworkSettings.Networks)) {
      await docker.getNetwork(network).connect({ Container: id, EndpointConfig: { Aliases: [wanted.name] } });
    }
    if (!State.Running) await start(container);
    return (await look(id, context)) ?? throwGone(wanted.name);
  });
