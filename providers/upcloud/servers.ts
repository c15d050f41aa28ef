import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Access,
  type CallContext,
  type CreateContext,
  inputError,
  orNothing,
  type ProviderConnection,
  type ServerFound,
  type ServerWanted,
} from '../../sdk/index.js';
import type { Server } from './client/index.js';
import { believed, type Cloud, LOOKS, pauses } from './cloud/cloud.js';
import { detailOf, findServers, gone, ourServer } from './cloud/find.js';
import { named } from './cloud/labels.js';
import { takeAway } from './cloud/take-away.js';
import { call } from './errors.js';
import { finishServer, makeServer } from './servers/create.js';
import { deleteServer, removeServer } from './servers/delete.js';
import { describe, diffServer } from './servers/describe.js';
import { switchOff, switchOn } from './servers/power.js';
import { changeServer } from './servers/update.js';
import { nameOf, removeStorage, volumesOf } from './volumes.js';

/** Servers of UpCloud. */
export function serverVerbs(cloud: Cloud): ProviderConnection['servers'] {
  const about = (name: string, { scope }: CallContext) => `server/${scope.uuid}/${name}`;

  const described = async (server: Server, name: string, context: CallContext): Promise<ServerFound> =>
    describe(cloud, server, await volumesOf(cloud, name, context), context.signal);

  const create = async (wanted: ServerWanted, context: CreateContext & { access: Access }): Promise<ServerFound> => {
    if (wanted.host) return existingHost(wanted.name);
    const [known] = await believed(cloud, context.signal, () => findServers(cloud, wanted.name, context));
    const there = known && (await detailOf(cloud, known.uuid, context.signal));
    const server = there ?? (await makeServer(cloud, wanted, context));
    return described(await finishServer(cloud, server, wanted, context), wanted.name, context);
  };

  return {
    diff: diffServer,

    read: (name, context) =>
      call('read the server', name, context.signal, async () => {
        const [row] = await findServers(cloud, name, context);
        const server = row && (await detailOf(cloud, row.uuid, context.signal));
        return server && described(server, name, context);
      }),

    list: (context) =>
      call('list the servers', context.scope.infra, context.signal, async () => {
        const { signal } = context;
        const rows = await cloud.client.servers.list({ labels: named(context.scope, 'server') }, { signal });
        const volumes = rows.length > 0 ? await volumesOf(cloud, undefined, context) : [];
        const found: ServerFound[] = [];
        for (const { uuid } of rows) {
          const server = await detailOf(cloud, uuid, signal);
          if (server) found.push(await describe(cloud, server, volumes, signal));
        }
        return found.sort((a, b) => a.name.localeCompare(b.name));
      }),

    create: (wanted, context) =>
      cloud.inTurn(about(wanted.name, context), () =>
        orNothing({
          make: () => call('create the server', wanted.name, context.signal, () => create(wanted, context)),
          takeAway: () => call('take away what was made', wanted.name, undefined, () => takeAway(cloud, wanted.name, context)),
          pause: sleep,
        }),
      ),

    ready: (name, context) =>
      call('wait for the server', name, context.signal, async () => {
        const pause = pauses(cloud, context.signal);
        for (;;) {
          const [row, ...doubles] = await believed(cloud, context.signal, () => findServers(cloud, name, context), LOOKS);
          if (!row) gone(name);
          // Two tries have outrun each other, or a list lagged behind: the older one stays.
          for (const { uuid } of doubles) await removeServer(cloud, uuid, { signal: context.signal });
          if (row.state === 'error') await ourServer(cloud, name, context).then(failed);
          const server = row.state === 'started' ? await detailOf(cloud, row.uuid, context.signal) : undefined;
          if (server?.state === 'started') {
            await removeSpare(cloud, name, server, context);
            return described(server, name, context);
          }
          context.beat?.(row.state === 'stopped' ? 'Wait for its start' : 'Wait until it is made');
          await pause();
        }
      }),

    update: (wanted, context) =>
      call('update the server', wanted.name, context.signal, () =>
        cloud.inTurn(about(wanted.name, context), async () => {
          const before = await ourServer(cloud, wanted.name, context);
          return described(await changeServer(cloud, before, wanted, context), wanted.name, context);
        }),
      ),

    delete: (name, context) =>
      call('delete the server', name, context.signal, () =>
        cloud.inTurn(about(name, context), () => deleteServer(cloud, name, context)),
      ),
  };
}

/** Switches a server off softly, on, or off and on. */
export async function setPower(
  cloud: Cloud,
  name: string,
  action: 'start' | 'stop' | 'restart',
  context: CallContext,
): Promise<ServerFound> {
  const { signal } = context;
  const { uuid } = await ourServer(cloud, name, context);
  let server = action === 'start' ? undefined : await switchOff(cloud, uuid, true, signal);
  if (action !== 'stop') server = await switchOn(cloud, uuid, signal);
  return describe(cloud, server ?? gone(name), await volumesOf(cloud, name, context), signal);
}

/** Two tries may have made a disk each for the same volume: the one that is not attached never was, and goes. */
async function removeSpare(cloud: Cloud, name: string, server: Server, context: CallContext): Promise<void> {
  const volumes = await volumesOf(cloud, name, context);
  const attached = new Set(server.storage_devices.map(({ storage }) => storage));
  const served = new Set(volumes.filter(({ uuid }) => attached.has(uuid)).map(nameOf));
  for (const volume of volumes)
    if (!attached.has(volume.uuid) && served.has(nameOf(volume))) await removeStorage(cloud, volume.uuid, context.signal);
}

function failed({ title }: Server): never {
  throw inputError({
    code: 'server-stuck',
    what: 'make the server',
    on: title,
    why: 'UpCloud could not make it: it is in state "error"',
    hint: 'look at it in the UpCloud control panel, delete it, then retry',
  });
}

function existingHost(name: string): never {
  throw inputError({ code: 'no-existing-hosts', what: 'create the server', on: name, why: '`host` is for the provider `local`' });
}
