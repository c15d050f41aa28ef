import type Docker from 'dockerode';
import { type LocalConfig, socketOf } from '../config.js';

/** Creates a client of the Docker Engine, without a connection yet. */
export async function openDocker(config: LocalConfig): Promise<Docker> {
  const { default: DockerClient } = await import('dockerode');
  return new DockerClient({ socketPath: socketOf(config), host: undefined, protocol: 'http' });
}
