import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import Docker from 'dockerode';
import { tar } from '../../providers/local/docker/tar.js';
import { dockerImage } from '../../providers/local/images.js';
import { hostImage } from '../support/host-image.js';
import { mayGrowMounted } from './disks.js';
import { bootFiles, readUserData } from './first-boot.js';

const docker = new Docker();

/** Label with the owning process of a container or network: pid and start time. */
const OWNER = 'provisioning.test.clouds';
const me = `${process.pid}:${beginningOf(process.pid)}`;

/** Returns the start time of a process in ticks since boot. Empty if the pid does not exist. */
function beginningOf(pid: number): string {
  try {
    return (
      readFileSync(`/proc/${pid}/stat`, 'latin1')
        .replace(/^.*\) /s, '')
        .split(' ')[19] ?? ''
    );
  } catch {
    return '';
  }
}

const lives = (owner = '') => owner.split(':')[1] !== '' && beginningOf(Number(owner.split(':')[0])) === owner.split(':')[1];

/** Bridge for the machines of this process. We choose the addresses on it, so that they survive a stop. */
export interface Bridge {
  id: string;
  /** First three numbers of its addresses. */
  prefix: string;
}

let bridge: Promise<Bridge> | undefined;

/** Removes the remains of crashed processes, and creates this process's bridge. */
export function openBridge(): Promise<Bridge> {
  bridge ??= sweep((owner) => !lives(owner)).then(makeBridge);
  return bridge;
}

async function makeBridge(): Promise<Bridge> {
  process.once('exit', sweepAtExit);
  for (let number = process.pid % 256, left = 256; ; number = (number + 1) % 256, left--) {
    const prefix = `198.18.${number}`;
    try {
      const made = await docker.createNetwork({
        Name: `provisioning-clouds-${process.pid}`,
        Labels: { [OWNER]: me },
        IPAM: { Driver: 'default', Config: [{ Subnet: `${prefix}.0/24`, Gateway: `${prefix}.1` }] },
      });
      return { id: made.id, prefix };
    } catch (error) {
      if (left === 0 || !/overlaps/i.test(String(error))) throw error;
    }
  }
}

async function sweep(meant: (owner: string | undefined) => boolean): Promise<void> {
  const filters = { label: [OWNER] };
  const containers = (await docker.listContainers({ all: true, filters })).filter(({ Labels }) => meant(Labels[OWNER]));
  await Promise.all(containers.map(({ Id }) => removeContainer(Id)));
  const networks = (await docker.listNetworks({ filters })).filter(({ Labels }) => meant(Labels?.[OWNER]));
  for (const { Id } of networks)
    await docker
      .getNetwork(Id)
      .remove()
      .catch(() => {});
}

/** Removes all machines of this process, and their bridge. */
export async function closeBridge(): Promise<void> {
  if (!bridge) return;
  await bridge.catch(() => {});
  await sweep((owner) => owner === me);
  bridge = undefined;
}

/** An ending process cannot wait for promises, so it runs Docker's command line synchronously. */
function sweepAtExit(): void {
  const say = (...args: string[]) =>
    execFileSync('docker', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], timeout: 60_000 });
  try {
    const ids = say('ps', '-aq', '--filter', `label=${OWNER}=${me}`).split('\n').filter(Boolean);
    if (ids.length > 0) say('rm', '-f', '-v', ...ids);
    const networks = say('network', 'ls', '-q', '--filter', `label=${OWNER}=${me}`).split('\n').filter(Boolean);
    if (networks.length > 0) say('network', 'rm', ...networks);
  } catch {
    // The next process that opens a bridge removes the rest.
  }
}

/** Creates and starts a container that is a host, like those of the provider `local`, with its own address. */
export async function startContainer(
  network: string,
  address: string,
  name: string,
  userData: string,
  disks = false,
): Promise<string> {
  const config = readUserData(userData);
  const version = ((await docker.info()) as { CgroupVersion?: string }).CgroupVersion;
  const container = await docker.createContainer({
    Image: dockerImage({ image: hostImage() }, 'debian-12'),
    Cmd: ['/sbin/init'],
    Labels: { [OWNER]: me, 'provisioning.test.machine': name },
    // systemd powers off on this signal.
    StopSignal: 'SIGRTMIN+3',
    HostConfig: {
      // Growing a mounted file system requires the capability to use blocks that are reserved for root.
      CapAdd: ['SYS_ADMIN', 'NET_ADMIN', ...(disks && mayGrowMounted() ? ['SYS_RESOURCE'] : [])],
      // An attached disk appears as a device of the machine.
      CapDrop: [...(disks ? [] : ['MKNOD']), 'NET_RAW'],
      SecurityOpt: ['apparmor=unconfined'],
      Binds: [`/sys/fs/cgroup:/sys/fs/cgroup:${version === '2' ? 'rw' : 'ro'}`],
      // Loop devices.
      ...(disks ? { DeviceCgroupRules: ['b 7:* rmw'] } : {}),
      Tmpfs: { '/run': '', '/run/lock': '' },
      NetworkMode: network,
      // `@types/dockerode` 4.0 does not have this option.
      ...{ CgroupnsMode: 'host' },
    },
    NetworkingConfig: { EndpointsConfig: { [network]: { IPAMConfig: { IPv4Address: address } } } },
  });
  await container.putArchive(tar(bootFiles({ hostname: name, ...config }, disks)), { path: '/' });
  await container.start();
  return container.id;
}

export const startAgain = (id: string): Promise<void> => docker.getContainer(id).start();

/** Powers it off gracefully, or forcibly after the given seconds. */
export const stopContainer = (id: string, graceS: number): Promise<void> => docker.getContainer(id).stop({ t: graceS });

/** Removes a container. Does nothing if it no longer exists. */
export async function removeContainer(id: string): Promise<void> {
  try {
    await docker.getContainer(id).remove({ force: true, v: true });
  } catch (error) {
    if (![404, 409].includes((error as { statusCode?: number }).statusCode ?? 0)) throw error;
  }
}
