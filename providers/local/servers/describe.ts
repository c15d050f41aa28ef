import type Docker from 'dockerode';
import { type CallContext, type Diff, type FoundServer, same, type WantedServer } from '../../../sdk/index.js';
import { readRecord } from '../docker/record.js';
import type { Servers } from '../docker/server-lookup.js';
import { call } from '../errors.js';

export const IMAGE_LABEL = 'provisioning.image';
export const NETWORK_LABEL = 'provisioning.network';
export const MOUNTS_LABEL = 'provisioning.mounts';

const ATTACHED = /^(running|created|restarting|exited)$/;

export const readServer = ({ find, look }: Servers, name: string, context: CallContext): Promise<FoundServer | undefined> =>
  call('read the server', name, context.signal, async () => {
    const id = await find(name, context);
    return id ? look(id, context) : undefined;
  });

/** Lists all servers of an infra, by name. */
export const listServers = ({ rowsOf, look }: Servers, context: CallContext): Promise<FoundServer[]> =>
  call('list the servers', context.scope.infra, context.signal, async () => {
    const rows = (await rowsOf(context)).filter(({ Labels }) => Labels['provisioning.uuid'] === context.scope.uuid);
    const found = await Promise.all(rows.map(({ Id }) => look(Id, context)));
    return found.flatMap((server) => server ?? []).sort((a, b) => a.name.localeCompare(b.name));
  });

/** Describes a container as a server. The published port may change with each start. */
export async function describe(
  container: Docker.Container,
  info: Docker.ContainerInspectInfo,
  networkName: string,
): Promise<FoundServer> {
  const labels = info.Config.Labels;
  const record = await readRecord(container, labels);
  const { NanoCpus, Memory } = info.HostConfig;
  const limited = NanoCpus === record.nanoCpus && Memory === record.memory;
  const mounts = JSON.parse(labels[MOUNTS_LABEL] ?? '{}') as Record<string, string>;
  const attached = ATTACHED.test(info.State.Status) && networkName in info.NetworkSettings.Networks;
  return {
    name: labels['provisioning.name'] ?? '',
    id: info.Id,
    status: statusOf(info),
    plan: limited ? record.plan : `${(NanoCpus ?? 0) / 1e9} cores, ${Math.round((Memory ?? 0) / 1024 ** 2)} MiB`,
    image: labels[IMAGE_LABEL] ?? '',
    labels: record.labels,
    volumes: Object.keys(mounts),
    mounts,
    network: attached ? labels[NETWORK_LABEL] : undefined,
    connection: {
      kind: 'ssh',
      address: '127.0.0.1',
      port: findPublishedPort(info),
      user: 'root',
      // Its name: Docker assigns an address at each start, and resolves the name for the container and its neighbors.
      privateAddress: labels['provisioning.name'] ?? '',
    },
  };
}

function statusOf({ State }: Docker.ContainerInspectInfo): FoundServer['status'] {
  if (State.Running && !State.Restarting) return State.Paused ? 'stopped' : 'running';
  return State.Restarting || State.Status === 'created' ? 'starting' : 'stopped';
}

/** Returns the published port; 0 while the container does not run, because Docker publishes it at the start. */
export function findPublishedPort(info: Docker.ContainerInspectInfo): number {
  return Number(info.NetworkSettings.Ports?.['22/tcp']?.[0]?.HostPort ?? 0);
}

/**
 * Compares a server with its wanted state. Limits, user labels, a lost network and a stopped container are repaired in
 * place. Docker cannot change anything else.
 */
export function diffServer(wanted: WantedServer, found: FoundServer): Diff {
  if (wanted.host) return { action: 'noop' };
  const mounts = Object.fromEntries(wanted.volumes.map(({ name, mount }) => [name, mount]));
  const replaced = [
    ...(found.image === wanted.image ? [] : [`image "${found.image}" becomes "${wanted.image}"`]),
    ...(found.network === undefined || found.network === wanted.network
      ? []
      : [`network "${found.network}" becomes "${wanted.network}"`]),
    ...(same(found.mounts ?? {}, mounts) ? [] : [`volumes ${list(found.mounts)} become ${list(mounts)}`]),
  ];
  const updated = [
    ...(found.plan === wanted.plan.name ? [] : [`plan "${found.plan}" becomes "${wanted.plan.name}"`]),
    ...(same(found.labels, wanted.labels) ? [] : ['labels change']),
    ...(found.network === undefined ? [`it joins the network "${wanted.network}" again`] : []),
    ...(found.status === 'stopped' ? ['it is started'] : []),
  ];
  if (replaced.length > 0) return { action: 'replace', changes: [...replaced, ...updated] };
  return updated.length > 0 ? { action: 'update', changes: updated } : { action: 'noop' };
}

const list = (mounts: Record<string, string> = {}) =>
  Object.entries(mounts)
    .map(([name, mount]) => `"${name}" at ${mount}`)
    .join(', ') || 'none';
