import Docker from 'dockerode';
import type { Existing } from './findings.js';

const docker = new Docker();

/** Returns the resources of an infra in Docker, found by their labels. */
export async function existingInDocker(infra: string): Promise<Existing> {
  const filters = { label: [`provisioning.infra=${infra}`] };
  const [containers, networks, volumes] = await Promise.all([
    docker.listContainers({ all: true, filters }),
    docker.listNetworks({ filters }),
    docker.listVolumes({ filters }),
  ]);
  const names = (labelled: { Labels?: Record<string, string> | null }[]) =>
    labelled.map(({ Labels }) => Labels?.['provisioning.name'] ?? 'nameless').sort();
  return { servers: names(containers), networks: names(networks), volumes: names(volumes.Volumes) };
}
