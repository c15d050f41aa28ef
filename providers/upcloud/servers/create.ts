import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Access,
  type CallContext,
  type CreateContext,
  createAtomically,
  type FoundServer,
  inputError,
  type WantedServer,
} from '../../../sdk/index.js';
import type { Server } from '../client/index.js';
import { type Cloud, LOOKS, lookUntilBelieved, pauses } from '../cloud/cloud.js';
import { findServerDetail, findServers, ourServer, throwGone, turnOf } from '../cloud/find.js';
import { finishServer, makeServer } from '../cloud/make-server.js';
import { takeAway } from '../cloud/take-away.js';
import { call } from '../errors.js';
import { listServerVolumes, nameOf, removeStorage } from '../volumes.js';
import { removeServer } from './delete.js';
import { describeFound } from './describe.js';

/** Returns the existing server, or creates one. If UpCloud refuses it, its prerequisites are deleted again. */
export const createServer = (
  cloud: Cloud,
  wanted: WantedServer,
  context: CreateContext & { access: Access },
): Promise<FoundServer> =>
  cloud.inTurn(turnOf(wanted.name, context), () =>
    createAtomically({
      make: () => call('create the server', wanted.name, context.signal, () => create(cloud, wanted, context)),
      takeAway: () => call('take away what was made', wanted.name, undefined, () => takeAway(cloud, wanted.name, context)),
      pause: sleep,
    }),
  );

async function create(cloud: Cloud, wanted: WantedServer, context: CreateContext & { access: Access }): Promise<FoundServer> {
  if (wanted.host) return existingHost(wanted.name);
  const [known] = await lookUntilBelieved(cloud, context.signal, () => findServers(cloud, wanted.name, context));
  const there = known && (await findServerDetail(cloud, known.uuid, context.signal));
  const server = there ?? (await makeServer(cloud, wanted, context));
  return describeFound(cloud, await finishServer(cloud, server, wanted, context), wanted.name, context);
}

/** Waits until the server runs. Only one of several concurrent servers and disks stays. */
export const waitForServer = (
  cloud: Cloud,
  name: string,
  context: CallContext & { beat?: (what: string) => void },
): Promise<FoundServer> =>
  call('wait for the server', name, context.signal, async () => {
    const pause = pauses(cloud, context.signal);
    for (;;) {
      const [row, ...doubles] = await lookUntilBelieved(cloud, context.signal, () => findServers(cloud, name, context), LOOKS);
      if (!row) throwGone(name);
      // Concurrent attempts, or a delayed list, created duplicates: the oldest stays.
      for (const { uuid } of doubles) await removeServer(cloud, uuid, { signal: context.signal });
      if (row.state === 'error') await ourServer(cloud, name, context).then(failed);
      const server = row.state === 'started' ? await findServerDetail(cloud, row.uuid, context.signal) : undefined;
      if (server?.state === 'started') {
        await removeSpare(cloud, name, server, context);
        return describeFound(cloud, server, name, context);
      }
      context.beat?.(row.state === 'stopped' ? 'Wait for its start' : 'Wait until it is made');
      await pause();
    }
  });

/** Deletes the unattached disk if concurrent attempts created two for the same volume: it was never in use. */
async function removeSpare(cloud: Cloud, name: string, server: Server, context: CallContext): Promise<void> {
  const volumes = await listServerVolumes(cloud, name, context);
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
    why: 'UpCloud could not create it: its state is "error"',
    hint: 'check it in the UpCloud control panel, delete it, then retry',
  });
}

function existingHost(name: string): never {
  throw inputError({
    code: 'no-existing-hosts',
    what: 'create the server',
    on: name,
    why: 'only the provider `local` supports `host`',
  });
}
