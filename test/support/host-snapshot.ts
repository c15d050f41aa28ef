import { createHash } from 'node:crypto';
import { stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type Docker from 'dockerode';
import { messageOf } from '../../core/errors.js';
import { dockerImage } from '../../providers/local/images.js';
import { alone } from '../../providers/local/prepare/build-lock.js';
import { HOST_KNOWS, HOST_PACKAGES } from './host-packages.js';
import { snapshotScript } from './host-snapshot-script.js';

/** Time limit in milliseconds. A slower mirror counts as not answering. */
const AT_MOST_MS = 480_000;
/** Milliseconds during which later tests do not try again. */
const GIVEN_UP_MS = 1_800_000;

/** Milliseconds. A younger snapshot of a former list may belong to another checkout, which would make it again. */
const KEPT_MS = 7 * 24 * 3_600_000;

const LABEL = 'provisioning.test.snapshot';

/**
 * Returns the snapshot for test hosts of a release, made once per machine. Returns undefined if it cannot be made.
 * Hosts then use the users' image and fetch all packages.
 *
 * @param image as definitions name it, such as `debian-13`; the provider's image of it exists
 * @param network in which it is made: Docker's default, which leads to the mirror, or `none`
 */
export async function snapshotOf(docker: Docker, image: string, network = 'bridge'): Promise<string | undefined> {
  const base = dockerImage({}, image);
  const script = snapshotScript(HOST_PACKAGES[image] ?? [], HOST_KNOWS);
  const { Id } = await docker.getImage(base).inspect();
  const tag = `${base}-snapshot-${createHash('sha256').update(`${Id}\n${network}\n${script}`).digest('hex').slice(0, 12)}`;
  if (await isThere(docker, tag)) return tag;
  const making = async () => {
    if (await isThere(docker, tag)) return tag;
    const givenUp = join(tmpdir(), tag.replace(':', '-'));
    if (await isYoung(givenUp)) return undefined;
    try {
      await make(docker, { base, tag, script, network });
      await removeFormer(docker, base, tag);
      return tag;
    } catch (error) {
      console.warn(`test hosts fetch what they install: ${messageOf(error)}`);
      await writeFile(givenUp, messageOf(error));
      return undefined;
    }
  };
  return alone(`image/${tag}`, making, () => {});
}

async function isThere(docker: Docker, tag: string): Promise<boolean> {
  return docker
    .getImage(tag)
    .inspect()
    .then(
      () => true,
      () => false,
    );
}

async function isYoung(path: string): Promise<boolean> {
  return stat(path).then(
    ({ mtimeMs }) => Date.now() - mtimeMs < GIVEN_UP_MS,
    () => false,
  );
}

async function make(
  docker: Docker,
  { base, tag, script, network }: Record<'base' | 'tag' | 'script' | 'network', string>,
): Promise<void> {
  const container = await docker.createContainer({
    Image: base,
    Cmd: ['bash', '-c', script],
    Labels: { [LABEL]: base },
    HostConfig: { NetworkMode: network },
  });
  const giveUp = setTimeout(() => container.kill().catch(() => {}), AT_MOST_MS);
  try {
    await container.start();
    const { StatusCode } = await container.wait();
    if (StatusCode !== 0) throw new Error(`the container ended with ${StatusCode}: ${await lastWords(container)}`);
    const [repo, version] = tag.split(':');
    await container.commit({ repo, tag: version, changes: 'CMD ["/sbin/init"]' });
  } finally {
    clearTimeout(giveUp);
    await container.remove({ force: true, v: true });
  }
}

/** Removes old snapshots of other lists, which take a gigabyte each. Snapshots in use by a host stay. */
async function removeFormer(docker: Docker, base: string, tag: string): Promise<void> {
  const all = await docker.listImages({ filters: { label: [`${LABEL}=${base}`] } });
  const former = all.filter(({ RepoTags, Created }) => !RepoTags?.includes(tag) && Date.now() - Created * 1_000 > KEPT_MS);
  for (const { Id } of former)
    await docker
      .getImage(Id)
      .remove()
      .catch(() => {});
}

async function lastWords(container: Docker.Container): Promise<string> {
  const said = await container.logs({ stdout: true, stderr: true, tail: 3 });
  return said
    .toString('latin1')
    .replace(/[^ -~\n]/g, '')
    .trim()
    .slice(-300);
}
