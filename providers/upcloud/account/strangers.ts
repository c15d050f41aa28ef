import { type CreateContext, inputError, type ServerFound, type Stranger } from '../../../sdk/index.js';
import { publicAddress } from '../addresses.js';
import type { Server } from '../client/index.js';
import type { Cloud } from '../cloud/cloud.js';
import { detailOf, findServers, gone } from '../cloud/find.js';
import { assertOurs, madeLabels, read, scopeIn, userLabels, withUserLabels } from '../cloud/labels.js';
import { imageName } from '../images.js';
import { describe } from '../servers/describe.js';

/** All servers of the account. Their details are one question each: lists say no addresses. */
export async function listStrangers(cloud: Cloud, signal?: AbortSignal): Promise<Stranger[]> {
  const rows = await cloud.client.servers.list({}, { signal });
  const strangers: Stranger[] = [];
  for (const { uuid } of rows) {
    const server = await detailOf(cloud, uuid, signal);
    if (server) strangers.push(await strangerOf(cloud, server, signal));
  }
  return strangers;
}

async function strangerOf(cloud: Cloud, server: Server, signal?: AbortSignal): Promise<Stranger> {
  const { uuid, title, labels, plan = '', zone } = server;
  const address = publicAddress(server);
  return {
    id: uuid,
    name: read(labels, 'name') ?? title,
    ...(address ? { address } : {}),
    plan,
    image: read(labels, 'image') ?? (await imageOf(cloud, server, signal)),
    zone,
    labels: userLabels(labels),
    ...(read(labels, 'uuid') ? { scope: scopeIn(labels) } : {}),
  };
}

/** The disk of a server says which template it was cloned from. */
async function imageOf(cloud: Cloud, { storage_devices }: Server, signal?: AbortSignal): Promise<string> {
  const template = storage_devices.flatMap(({ labels }) => labels ?? []).find(({ key }) => key === '_template_uuid')?.value;
  if (!template) return '';
  const known = (await cloud.offer.templates(signal)).find(({ uuid }) => uuid === template);
  return (known && imageName(known)) ?? template;
}

/** Puts our labels on a server of the account. Throws `owned-by-another` where another infra's are on it. */
export async function adoptServer(cloud: Cloud, id: string, name: string, context: CreateContext): Promise<ServerFound> {
  const { signal, scope } = context;
  const server = (await detailOf(cloud, id, signal)) ?? gone(id);
  if (read(server.labels, 'uuid')) assertOurs(scope, 'server', name, server.labels);
  const [namesake] = await findServers(cloud, name, context);
  if (namesake && namesake.uuid !== id) throw taken(name, namesake.uuid);
  const network = await ourNetworkOf(cloud, server, context);
  const image = await imageOf(cloud, server, signal);
  const said = { ...(image ? { image } : {}), ...(network ? { network } : {}) };
  const own = Object.entries(madeLabels(context, 'server', name, said));
  const changed = Object.fromEntries(own.map(([key, value]) => [key.slice('provisioning.'.length), value]));
  const labels = withUserLabels(server.labels, Object.fromEntries((server.labels ?? []).map(({ key, value }) => [key, value])));
  const merged = withUserLabels(labels, {}, changed);
  const kept = labels.filter(({ key }) => !merged.some((label) => label.key === key));
  const adopted = await cloud.client.servers.modify(id, { labels: [...kept, ...merged] }, { signal });
  return describe(cloud, adopted, [], signal);
}

/** The name of the infra's network that a server lies in; undefined where it lies in none of it. */
async function ourNetworkOf(cloud: Cloud, server: Server, { scope, signal }: CreateContext): Promise<string | undefined> {
  for (const { type, network: uuid } of server.networking?.interfaces ?? []) {
    const network = type === 'private' && uuid ? await cloud.client.networks.read(uuid, { signal }) : undefined;
    if (read(network?.labels, 'uuid') === scope.uuid) return read(network?.labels, 'name');
  }
  return undefined;
}

const taken = (name: string, other: string) =>
  inputError({
    code: 'name-taken',
    what: 'adopt the server',
    on: name,
    why: `the infra has another server of this name, ${other}`,
    hint: 'choose another name for it',
  });
