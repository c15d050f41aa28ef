import { inputError } from '../../sdk/index.js';
import type { LocalConfig } from './config.js';
import { RECIPE } from './prepare/rootfs.js';

/** The release of Debian behind the name of an image. */
export const RELEASES = { 'debian-12': 'bookworm', 'debian-13': 'trixie' } as const;

/** The image of hosts whose definition names none, and the one that `up --local` makes. */
export const DEFAULT_IMAGE = 'debian-12';

const releaseNames: Readonly<Record<string, string>> = RELEASES;

/** The release behind the name of an image. Throws the input error `unknown-image` where there is none. */
export function releaseOf(image: string): string {
  const release = Object.hasOwn(releaseNames, image) ? releaseNames[image] : undefined;
  if (release !== undefined) return release;
  throw inputError({
    code: 'unknown-image',
    what: 'make the host image',
    on: image,
    why: 'no release has this name',
    hint: `there are ${Object.keys(RELEASES).join(', ')}`,
  });
}

/** The Docker image that a host is made from. */
export function dockerImage(config: LocalConfig, image: string): string {
  return config.image ?? `provisioning-host:${releaseOf(image)}-${RECIPE}`;
}
