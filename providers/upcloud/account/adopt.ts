import { type CreateContext, type FoundServer, inputError } from '../../../sdk/index.js';
import type { Server } from '../client/index.js';
import type { Cloud } from '../cloud/cloud.js';
import { findServerDetail, findServers, throwGone } from '../cloud/find.js';
import { assertOurs, createLabels, mergeUserLabels, read } from '../cloud/labels.js';
import { describe } from '../servers/describe.js';
import { findImageName } from './strangers.js';

/** Adds our labels to an existing server. Throws `owned-by-another` if it has labels of another infra. */
export async function adoptServer(cloud: Cloud, id: string, name: string, context: CreateContext): Promise<FoundServer> {
  const { signal, scope } = context;
  const server = (await findServerDetail(cloud, id, signal)) ?? throwGone(id);
  if (read(server.labels, 'uuid')) assertOurs(scope, 'server', name, server.labels);
  const [namesake] = await findServers(cloud, name, context);
  if (namesake && namesake.uuid !== id) throw taken(name, namesake.uuid);
  const network = await ourNetworkOf(cloud, server, context);
  const image = await findImageName(cloud, server, signal);
  const said = { ...(image ? { image } : {}), ...(network ? { network } : {}) };
  const own = Object.entries(createLabels(context, 'server', name, said));
  const changed = Object.fromEntries(own.map(([key, value]) => [key.slice('provisioning.'.length), value]));
  const labels = mergeUserLabels(server.labels, Object.fromEntries((server.labels ?? []).map(({ key, value }) => [key, value])));
  const merged = mergeUserLabels(labels, {}, changed);
  const kept = labels.filter(({ key }) => !merged.some((label) => label.key === key));
  const adopted = await cloud.client.servers.modify(id, { labels: [...kept, ...merged] }, { signal });
  return describe(cloud, adopted, [], signal);
}

/** Returns the name of the infra's network that contains a server, if any. */
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
