import type { LocalConfig } from './config.js';
import { RECIPE } from './prepare/rootfs.js';

/** The release of Debian behind the name of an image. */
export const RELEASES: Readonly<Record<string, string>> = { 'debian-12': 'bookworm' };

/** The Docker image that a host is made from. */
export function dockerImage(config: LocalConfig, image: string): string {
  return config.image ?? `provisioning-host:${RELEASES[image] ?? image}-${RECIPE}`;
}
