import type { UnmanagedServer } from '../../../sdk/index.js';
import { publicAddress } from '../addresses.js';
import type { Server } from '../client/index.js';
import type { Cloud } from '../cloud/cloud.js';
import { findServerDetail } from '../cloud/find.js';
import { read, scopeIn, userLabels } from '../cloud/labels.js';
import { imageName } from '../images.js';

/** Lists all servers of the account. Their addresses require one request each. */
export async function listStrangers(cloud: Cloud, signal?: AbortSignal): Promise<UnmanagedServer[]> {
  const rows = await cloud.client.servers.list({}, { signal });
  const strangers: UnmanagedServer[] = [];
  for (const { uuid } of rows) {
    const server = await findServerDetail(cloud, uuid, signal);
    if (server) strangers.push(await strangerOf(cloud, server, signal));
  }
  return strangers;
}

async function strangerOf(cloud: Cloud, server: Server, signal?: AbortSignal): Promise<UnmanagedServer> {
  const { uuid, title, labels, plan = '', zone } = server;
  const address = publicAddress(server);
  return {
    id: uuid,
    name: read(labels, 'name') ?? title,
    ...(address ? { address } : {}),
    plan,
    image: read(labels, 'image') ?? (await findImageName(cloud, server, signal)),
    zone,
    labels: userLabels(labels),
    ...(read(labels, 'uuid') ? { scope: scopeIn(labels) } : {}),
  };
}

/** Returns the name of the template from which a server's disk was cloned. */
export async function findImageName(cloud: Cloud, { storage_devices }: Server, signal?: AbortSignal): Promise<string> {
  const template = storage_devices.flatMap(({ labels }) => labels ?? []).find(({ key }) => key === '_template_uuid')?.value;
  if (!template) return '';
  const known = (await cloud.offer.templates(signal)).find(({ uuid }) => uuid === template);
  return (known && imageName(known)) ?? template;
}
