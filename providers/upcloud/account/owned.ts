import type { OwnedThing } from '../../../sdk/index.js';
import type { Label } from '../client/index.js';
import type { Cloud } from '../cloud/cloud.js';
import { formatLabelFilter, type Kind, read, scopeIn } from '../cloud/labels.js';

/** Lists everything with the names of this workspace and set-up. */
export async function listOwned({ client }: Cloud, workspace: string, setup: string, signal?: AbortSignal): Promise<OwnedThing[]> {
  const labels = formatLabelFilter({ workspace, setup });
  const servers = await client.servers.list({ labels }, { signal });
  const networks = await client.networks.list({ labels }, { signal });
  const storages = await client.storages.list({ labels }, { signal });
  const groups = await client.serverGroups.list({ labels }, { signal });
  return [...servers, ...networks, ...storages, ...groups].flatMap((row) => ownedOf(row) ?? []);
}

const KINDS: readonly Kind[] = ['server', 'network', 'volume', 'address', 'placement'];

function ownedOf({ uuid, labels }: { uuid: string; labels?: readonly Label[] }): OwnedThing | undefined {
  const kind = KINDS.find((one) => one === read(labels, 'kind'));
  if (!kind) return undefined;
  const made = Number(read(labels, 'made'));
  const key = read(labels, 'key');
  return {
    kind,
    name: read(labels, 'name') ?? '',
    id: uuid,
    scope: scopeIn(labels),
    ...(made > 0 ? { since: new Date(made).toISOString() } : {}),
    ...(key ? { key } : {}),
  };
}
