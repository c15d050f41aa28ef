import { inputError } from '../../sdk/index.js';
import type { LocalConfig } from './config.js';
import { RECIPE } from './prepare/rootfs.js';

/** Debian releases of the images. */
export const RELEASES = { 'debian-12': 'bookworm', 'debian-13': 'trixie' } as const;

/** Image of hosts whose definition names none, created by `up --local`. */
export const DEFAULT_IMAGE = 'debian-12';

const releaseNames: Readonly<Record<string, string>> = RELEASES;

/** Returns the release of an image. Throws the input error `unknown-image` for an unknown name. */
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

/** Returns the Docker image of a host. */
export function dockerImage(config: LocalConfig, image: string): string {
  return config.image ?? `provisioning-host:${releaseOf(image)}-${RECIPE}`;
}
