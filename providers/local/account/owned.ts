import type Docker from 'dockerode';
import type { OwnedThing } from '../../../sdk/index.js';
import { KEY_LABEL, type Labels, SETUP_LABEL } from '../docker/labels.js';

/** Lists all containers, networks and volumes with the names of this workspace and set-up. */
export async function listOwned(docker: Docker, workspace: string, setup: string): Promise<OwnedThing[]> {
  const filters = { label: [`provisioning.workspace=${workspace}`, `${SETUP_LABEL}=${setup}`] };
  const [containers, networks, { Volumes }] = await Promise.all([
    docker.listContainers({ all: true, filters }),
    docker.listNetworks({ filters }),
    docker.listVolumes({ filters }),
  ]);
  return [
    ...containers.map(({ Id, Labels, Created }) => owned('server', Id, Labels, Created * 1000)),
    ...networks.map(({ Id, Labels, Created }) => owned('network', Id, Labels ?? {}, Created)),
    // Docker reports a volume's age, which is missing in the types.
    ...(Volumes ?? []).map((volume) =>
      owned('volume', volume.Name, volume.Labels ?? {}, (volume as { CreatedAt?: string }).CreatedAt),
    ),
  ];
}

function owned(kind: OwnedThing['kind'], id: string, labels: Labels, since: string | number | undefined): OwnedThing {
  const at = since === undefined ? undefined : new Date(since);
  const label = (name: string) => labels[`provisioning.${name}`] ?? '';
  return {
    kind,
    name: label('name'),
    id,
    scope: { workspace: label('workspace'), infra: label('infra'), uuid: label('uuid') },
    ...(at && !Number.isNaN(at.getTime()) ? { since: at.toISOString() } : {}),
    ...(labels[KEY_LABEL] ? { key: labels[KEY_LABEL] } : {}),
  };
}
