import type Docker from 'dockerode';
import { type LocalConfig, socketOf } from '../config.js';

/** A client of the Docker Engine; makes no connection yet. */
export async function openDocker(config: LocalConfig): Promise<Docker> {
  const { default: DockerClient } = await import('dockerode');
  return new DockerClient({ socketPath: socketOf(config), host: undefined, protocol: 'http' });
}
