import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { greets } from '../../providers/local/docker/container.js';
import { dockerImage } from '../../providers/local/images.js';
import { workOf } from './work.js';

export interface Host {
  name: string;
  container: string;
  address: string;
  port: number;
}

/** Credentials of every peer. */
export interface Access {
  identity: string;
  /** Host key, the same for all hosts: they come from one image. */
  hostKey: string;
  knownHosts: string;
}

const LABEL = 'provisioning.bench=converge';

/** Hosts of each peer: three, or the number in `HOSTS`. */
export const HOSTS: readonly string[] = Array.from({ length: Number(process.env.HOSTS ?? 3) }, (_, index) =>
  index < 26 ? String.fromCharCode(97 + index) : `h${index + 1}`,
);

const docker = async (...args: string[]) => (await execa('docker', args)).stdout.trim();

export async function makeAccess(folder: string): Promise<Access> {
  const identity = join(folder, 'id_ed25519');
  const hostIdentity = join(folder, 'ssh_host_ed25519_key');
  for (const path of [identity, hostIdentity])
    await execa('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'bench', '-f', path]);
  const hostKey = (await readFile(`${hostIdentity}.pub`, 'utf8')).trim();
  return { identity, hostKey, knownHosts: join(folder, 'known_hosts') };
}

/** Lifetime of an image with the packages, in milliseconds. */
const PACKAGES_KEPT_MS = 24 * 3_600_000;
const PACKAGES = 'provisioning-bench-packages';

/**
 * Builds an image for the hosts of all peers. It is the image of the provider `local`, with Python for the peers that
 * need it. The packages are downloaded, so that a first run does not measure a mirror.
 */
export async function makeImage(folder: string): Promise<string> {
  const image = `provisioning-bench:${process.pid}`;
  const context = join(folder, 'image');
  await mkdir(context, { recursive: true });
  for (const name of ['id_ed25519.pub', 'ssh_host_ed25519_key', 'ssh_host_ed25519_key.pub']) {
    await writeFile(join(context, name), await readFile(join(folder, name)), { mode: 0o600 });
  }
  await build(image, context, [
    `FROM ${await imageWithPackages(folder)}`,
    'COPY id_ed25519.pub /root/.ssh/authorized_keys',
    'COPY ssh_host_ed25519_key ssh_host_ed25519_key.pub /etc/ssh/',
    'RUN chmod 700 /root/.ssh && chmod 600 /root/.ssh/authorized_keys /etc/ssh/ssh_host_ed25519_key',
  ]);
  return image;
}

/** Returns the image of the day for the same packages; older images are removed. */
async function imageWithPackages(folder: string): Promise<string> {
  const apt = 'DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends';
  const lines = [
    `FROM ${dockerImage({}, 'debian-12')}`,
    `RUN apt-get -q update && ${apt} install python3 python3-apt curl && ${apt} install --download-only ${workOf().packages.join(' ')}`,
  ];
  const image = `${PACKAGES}:${createHash('sha256').update(lines.join()).digest('hex').slice(0, 12)}`;
  if (await isRecent(image)) return image;
  const context = join(folder, 'packages');
  await mkdir(context);
  await build(image, context, lines, '--no-cache');
  const tags = (await docker('images', '--format', '{{.Repository}}:{{.Tag}}', PACKAGES)).split('\n');
  // An image used by another run's hosts stays until the next time.
  for (const former of tags.filter(Boolean)) if (!(await isRecent(former))) await docker('rmi', former).catch(() => {});
  return image;
}

async function isRecent(image: string): Promise<boolean> {
  const made = await docker('image', 'inspect', '-f', '{{.Created}}', image).catch(() => '');
  return made !== '' && Date.now() - Date.parse(made) < PACKAGES_KEPT_MS;
}

async function build(image: string, context: string, lines: readonly string[], ...more: string[]): Promise<void> {
  await writeFile(join(context, 'Dockerfile'), `${lines.join('\n')}\n`);
  const flags = ['-q', '--network', 'host', ...more, '-t', image];
  await execa('docker', ['build', ...flags, context], { env: { DOCKER_BUILDKIT: '0' } });
}

/** Creates the hosts of one peer like the provider `local`: systemd, sshd on loopback, one core, 2 GiB. */
export async function makeHosts(peer: string, image: string, names = HOSTS): Promise<Host[]> {
  const cgroups = `/sys/fs/cgroup:/sys/fs/cgroup:${(await docker('info', '--format', '{{.CgroupVersion}}')) === '2' ? 'rw' : 'ro'}`;
  const hosts: Host[] = [];
  for (const name of names) {
    const flags = [
      '--label',
      LABEL,
      '--hostname',
      name,
      '--cap-add',
      'SYS_ADMIN',
      '--cap-add',
      'NET_ADMIN',
      '-v',
      cgroups,
      '--cgroupns',
      'host',
    ];
    const security = ['--security-opt', 'apparmor=unconfined', '--tmpfs', '/run', '--tmpfs', '/run/lock'];
    const limits = ['--cpus', '1', '--memory', '2g', '--stop-signal', 'SIGRTMIN+3', '-p', '127.0.0.1::22'];
    const container = await docker(
      'run',
      '-d',
      '--name',
      `provisioning-bench-${process.pid}-${peer}-${name}`,
      ...flags,
      ...security,
      ...limits,
      image,
      '/sbin/init',
    );
    const port = Number((await docker('port', container, '22/tcp')).split('\n')[0]?.split(':').at(-1));
    hosts.push({ name, container, address: '127.0.0.1', port });
  }
  for (const { name, address, port } of hosts) await untilReady(name, address, port);
  return hosts;
}

async function untilReady(name: string, address: string, port: number): Promise<void> {
  for (let tries = 0; tries < 60; tries++) {
    if (await greets(address, port)) return;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  throw new Error(`start the host: ${name}: its SSH server does not answer`);
}

export async function trustHosts({ knownHosts, hostKey }: Access, hosts: Host[]): Promise<void> {
  const [type, key] = hostKey.split(' ');
  await writeFile(knownHosts, hosts.map(({ address, port }) => `[${address}]:${port} ${type} ${key}\n`).join(''));
}

/** Verifies, independently of the peers, that a host is as wanted. */
export async function assertDone(host: Host): Promise<void> {
  const work = workOf();
  const inside = (script: string) =>
    execa('docker', ['exec', '-i', host.container, 'bash', '-e'], { input: script }).then(({ stdout }) => stdout);
  for (const { path, content, mode, owner, group } of work.files) {
    const seen = await inside(`stat -c '%a %U %G' ${path}; cat ${path}`);
    const wanted = `${Number(mode)} ${owner} ${group}\n${content}`.trimEnd();
    if (seen !== wanted) throw new Error(`compare ${path}: ${host.container}: it differs:\n${seen}\nwanted:\n${wanted}`);
  }
  const names = work.services.map(({ name }) => name).join(' ');
  await inside(`for s in ${names}; do systemctl is-active -q $s; systemctl is-enabled -q $s; done`);
  for (const { title, command, expect } of work.checks) {
    if (!(await inside(command)).includes(expect)) throw new Error(`check: ${host.container}: ${title}: no`);
  }
}

export async function deleteHosts(image: string | undefined): Promise<void> {
  await deleteContainers();
  if (image) await docker('rmi', '-f', image);
}

/** Removes the hosts that this process created. */
export async function deleteContainers(): Promise<void> {
  const prefix = `provisioning-bench-${process.pid}-`;
  const containers = (await docker('ps', '-aq', '--filter', `label=${LABEL}`, '--filter', `name=${prefix}`))
    .split('\n')
    .filter(Boolean);
  if (containers.length > 0) await docker('rm', '-f', '-v', ...containers);
}
