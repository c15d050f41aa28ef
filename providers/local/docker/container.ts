import { connect } from 'node:net';
import type Docker from 'dockerode';
import type { Access, CreateContext, Scope, WantedServer } from '../../../sdk/index.js';
import type { LocalConfig } from '../config.js';
import { limitsOf } from '../plans.js';
import { IMAGE_LABEL, MOUNTS_LABEL, NETWORK_LABEL } from '../servers/describe.js';
import { dockerName, makerLabels, ownerLabels, userLabels, volumeName } from './labels.js';
import type { Machine } from './machine.js';
import { RECORD_LABEL, recordOf } from './record.js';
import { tar } from './tar.js';

/** `@types/dockerode` 4.0 lacks it. */
type HostConfig = Docker.HostConfig & { CgroupnsMode: 'host' };

/** Returns the container options of a server: systemd as init, sshd published on loopback. */
export function containerOptions(
  wanted: WantedServer,
  { scope, key, setup }: Pick<CreateContext, 'scope' | 'key' | 'setup'>,
  image: string,
  machine: Machine,
  may: Pick<LocalConfig, 'nestedContainers' | 'rawSockets'> = {},
): Docker.ContainerCreateOptions {
  const limits = limitsOf(wanted.plan, machine.cores);
  const network = dockerName(scope, wanted.network);
  return {
    name: dockerName(scope, wanted.name),
    Image: image,
    Cmd: ['/sbin/init'],
    Hostname: wanted.name,
    Labels: {
      ...ownerLabels(scope, 'server', wanted.name),
      ...userLabels(wanted.labels),
      ...makerLabels({ key, setup }),
      'provisioning.role': wanted.role,
      [IMAGE_LABEL]: wanted.image,
      [NETWORK_LABEL]: wanted.network,
      [MOUNTS_LABEL]: JSON.stringify(Object.fromEntries(wanted.volumes.map(({ name, mount }) => [name, mount]))),
      [RECORD_LABEL]: JSON.stringify(recordOf(wanted, limits)),
    },
    // The signal on which systemd powers off.
    StopSignal: 'SIGRTMIN+3',
    ExposedPorts: { '22/tcp': {} },
    HostConfig: hostConfig(wanted, scope, machine, may),
    NetworkingConfig: { EndpointsConfig: { [network]: { Aliases: [wanted.name] } } },
  };
}

function hostConfig(
  { name: server, plan, volumes, network }: WantedServer,
  scope: Scope,
  machine: Machine,
  { nestedContainers = false, rawSockets = false }: Pick<LocalConfig, 'nestedContainers' | 'rawSockets'>,
): HostConfig {
  const { nanoCpus, memory } = limitsOf(plan, machine.cores);
  return {
    // nftables, bridges and vxlan need NET_ADMIN; `--privileged` would fail if the machine itself lacks a capability.
    CapAdd: ['SYS_ADMIN', 'NET_ADMIN'],
    // systemd needs neither: docs/decisions/2026-11-22-local-hosts-are-for-trusted-code.md.
    CapDrop: nestedContainers ? [] : rawSockets ? ['MKNOD'] : ['MKNOD', 'NET_RAW'],
    // Docker's own seccomp profile stays on, though containers inside need calls that it refuses (`pivot_root`). Its AppArmor
    // profile forbids the mounts of systemd.
    SecurityOpt: ['apparmor=unconfined', ...(nestedContainers ? ['seccomp=unconfined'] : [])],
    Binds: [`/sys/fs/cgroup:/sys/fs/cgroup:${machine.cgroup === '2' ? 'rw' : 'ro'}`],
    CgroupnsMode: 'host',
    Tmpfs: { '/run': '', '/run/lock': '' },
    Mounts: volumes.map(({ name, mount }) => ({
      Type: 'volume',
      Source: volumeName(scope, server, name),
      Target: mount,
    })),
    PortBindings: { '22/tcp': [{ HostIp: '127.0.0.1', HostPort: '' }] },
    NanoCpus: nanoCpus,
    Memory: memory,
    MemorySwap: memory,
    RestartPolicy: { Name: 'unless-stopped' },
    NetworkMode: dockerName(scope, network),
  };
}

const withNewline = (text: string) => (text.endsWith('\n') ? text : `${text}\n`);

/** Writes the infra's key and the host's key pair into a container that has not started yet. */
export async function putAccess(container: Docker.Container, { authorizedKey, hostKey }: Access): Promise<void> {
  const archive = tar([
    { path: 'root/.ssh', mode: 0o700 },
    { path: 'root/.ssh/authorized_keys', mode: 0o600, content: withNewline(authorizedKey) },
    { path: 'etc/ssh/ssh_host_ed25519_key', mode: 0o600, content: withNewline(hostKey.private) },
    { path: 'etc/ssh/ssh_host_ed25519_key.pub', mode: 0o644, content: withNewline(hostKey.public) },
  ]);
  await container.putArchive(archive, { path: '/' });
}

/**
 * Reports whether an SSH server greets within `timeoutMs`. Docker's proxy accepts connections before the host listens,
 * so only the greeting counts.
 */
export function greets(address: string, port: number, timeoutMs = 2_000): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: address, port });
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    let text = '';
    socket.setTimeout(timeoutMs, () => end(false));
    socket.on('error', () => end(false));
    socket.on('close', () => end(false));
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      if (text.length >= 7) end(text.startsWith('SSH-2.0'));
    });
  });
}
