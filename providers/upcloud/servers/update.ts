import { type CreateContext, type FoundServer, same, type WantedServer } from '../../../sdk/index.js';
import { releaseAddress, releaseFrom } from '../addresses.js';
import type { Server } from '../client/index.js';
import type { Cloud } from '../cloud/cloud.js';
import { findServerDetail, ourServer, throwNotSettled, turnOf } from '../cloud/find.js';
import { mergeUserLabels, userLabels } from '../cloud/labels.js';
import { finishServer, planFor } from '../cloud/make-server.js';
import { call } from '../errors.js';
import { attachVolumes, ensureVolumes, listServerVolumes, listUnattached, smaller } from '../volumes.js';
import { describeFound } from './describe.js';
import { switchOff, switchOn } from './power.js';

export const updateServer = (cloud: Cloud, wanted: WantedServer, context: CreateContext): Promise<FoundServer> =>
  call('update the server', wanted.name, context.signal, () =>
    cloud.inTurn(turnOf(wanted.name, context), async () => {
      const before = await ourServer(cloud, wanted.name, context);
      return describeFound(cloud, await changeServer(cloud, before, wanted, context), wanted.name, context);
    }),
  );

/** Changes a server in place as far as possible: plan and volumes while it is stopped, the rest while it runs. */
async function changeServer(cloud: Cloud, before: Server, wanted: WantedServer, context: CreateContext): Promise<Server> {
  const { signal } = context;
  const { uuid } = before;
  const growing = smaller(wanted, await listServerVolumes(cloud, wanted.name, context));
  const resized = before.plan !== wanted.plan.name;
  if (resized) planFor(wanted, await cloud.offer.plans(signal));
  const firewall = wanted.firewall !== undefined;
  const relabelled = !same(userLabels(before.labels), wanted.labels);
  if (relabelled || before.firewall !== firewall) {
    const labels = mergeUserLabels(before.labels, wanted.labels);
    await cloud.client.servers.modify(uuid, { labels, firewall }, { signal });
  }
  const volumes = await ensureVolumes(cloud, wanted, before.zone, context);
  if (resized || growing.length > 0 || listUnattached(before, volumes).length > 0) {
    const off = (await switchOff(cloud, uuid, true, signal)) ?? throwNotSettled(wanted.name);
    if (resized) await cloud.client.servers.modify(uuid, { plan: wanted.plan.name }, { signal });
    await attachVolumes(cloud, off, volumes, signal);
    for (const { uuid: volume, size } of growing) await cloud.client.storages.modify(volume, { size }, { signal });
  }
  if (!wanted.address) {
    await releaseFrom(cloud, before, signal);
    await releaseAddress(cloud, context.scope, wanted.name, signal);
  }
  const running = (await switchOn(cloud, uuid, signal)) ?? throwNotSettled(wanted.name);
  await finishServer(cloud, running, wanted, context);
  return (await findServerDetail(cloud, uuid, signal)) ?? throwNotSettled(wanted.name);
}
