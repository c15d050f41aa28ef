import type Docker from 'dockerode';
import { inputError, type Reporter, unreachableError } from '../../../sdk/index.js';
import type { LocalConfig } from '../config.js';
import { statusOf } from '../errors.js';
import { DEFAULT_IMAGE, dockerImage, releaseOf } from '../images.js';
import { buildImage } from './build-image.js';
import { alone } from './build-lock.js';
import { has, install, mayInstall } from './packages.js';

const TASK = 'host image';

/**
 * Provides the image of a host: an existing one, a pulled one, or one that is built here.
 *
 * @param name of the image in definitions, such as `debian-13`
 */
export async function prepareImage(docker: Docker, config: LocalConfig, name: string, report: Reporter): Promise<void> {
  const image = dockerImage(config, name);
  const ready = () => report({ task: TASK, text: image, fraction: 1, state: 'done' });
  if (await isThere(docker, image)) return ready();
  try {
    await alone(
      `image/${image}`,
      () => obtain(docker, config, name, report),
      () => report({ task: TASK, text: 'is being made by another process', state: 'running' }),
    );
  } catch (error) {
    report({ task: TASK, text: 'could not be made', state: 'failed' });
    throw error;
  }
  ready();
}

async function obtain(docker: Docker, config: LocalConfig, name: string, report: Reporter): Promise<void> {
  const image = dockerImage(config, name);
  if (await isThere(docker, image)) return;
  if (config.image) return pull(docker, image, report);
  if (!(await mayInstall())) {
    throw inputError({
      code: 'host-image-missing',
      what: 'make the host image',
      on: image,
      why: 'debootstrap creates it, and needs root on Debian or Ubuntu',
      hint:
        name === DEFAULT_IMAGE
          ? 'run `provisioning up --local` once as root, or set the `image` of the provider local to an image from a registry'
          : `let a worker with root rights create a server of ${name} once, or set \`image\` of the provider local to an image from a registry`,
    });
  }
  if (!(await has('debootstrap'))) {
    report({ task: TASK, text: 'installs debootstrap', fraction: 0.02, state: 'running' });
    await install(['debootstrap', 'debian-archive-keyring']);
  }
  await buildImage(docker, image, releaseOf(name), report);
}

async function pull(docker: Docker, image: string, report: Reporter): Promise<void> {
  report({ task: TASK, text: `pulls ${image}`, state: 'running' });
  try {
    const stream = await docker.pull(image);
    await new Promise<void>((resolve, reject) => {
      docker.modem.followProgress(stream, (error: Error | null) => (error ? reject(error) : resolve()));
    });
  } catch (error) {
    const why = error instanceof Error ? error.message.trim() : String(error);
    throw unreachableError({ code: 'pull-failed', what: 'pull the host image', on: image, why }, { cause: error });
  }
}

async function isThere(docker: Docker, image: string): Promise<boolean> {
  try {
    await docker.getImage(image).inspect();
    return true;
  } catch (error) {
    if (statusOf(error) === 404) return false;
    throw error;
  }
}
