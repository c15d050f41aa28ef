import Docker from 'dockerode';
import { local } from '../../providers/local/index.js';
import { prepareImage } from '../../providers/local/prepare/image.js';
import { useHostImage } from './host-image.js';
import { snapshotOf } from './host-snapshot.js';

const docker = new Docker();

/**
 * Prepares the image of local hosts. Returns the reason if hosts cannot run here.
 *
 * @param image for all hosts of the test file: a snapshot that avoids downloads (`host-snapshot.ts`), or `plain`, the
 * users' image of any release. Use `plain` if the test is about the image or about a host that fetches its packages
 */
export async function whyNoHosts(image: 'debian-12' | 'debian-13' | 'plain' = 'debian-12'): Promise<string | undefined> {
  try {
    await docker.ping();
  } catch (error) {
    return `no Docker Engine answers (${(error as Error).message})`;
  }
  await local.prepare?.(local.config.parse({}), () => {});
  if (image !== 'plain' && image !== local.images.default) await haveImage(image);
  useHostImage(image === 'plain' ? undefined : await snapshotOf(docker, image));
  return undefined;
}

/** Prepares the image of a host, such as `debian-13`. Most tests need only the default one. */
export const haveImage = (image: string): Promise<void> => prepareImage(docker, local.config.parse({}), image, () => {});

/** Returns the names of an infra's resources in Docker. */
export async function remainsOf(infra: string): Promise<string[]> {
  const filters = { label: [`provisioning.infra=${infra}`] };
  const [containers, networks, volumes] = await Promise.all([
    docker.listContainers({ all: true, filters }),
    docker.listNetworks({ filters }),
    docker.listVolumes({ filters }),
  ]);
  return [
    ...containers.map(({ Names }) => Names[0] ?? ''),
    ...networks.map(({ Name }) => Name),
    ...volumes.Volumes.map(({ Name }) => Name),
  ];
}

/** Removes the remains of a failed test in an infra. */
export async function sweep(infra: string): Promise<void> {
  const filters = { label: [`provisioning.infra=${infra}`] };
  for (const { Id } of await docker.listContainers({ all: true, filters }))
    await docker.getContainer(Id).remove({ force: true, v: true });
  for (const { Id } of await docker.listNetworks({ filters })) await docker.getNetwork(Id).remove();
  for (const { Name } of (await docker.listVolumes({ filters })).Volumes) await docker.getVolume(Name).remove();
}

/** Runs a script as root. Throws if it fails. */
export type HostShell = (script: string) => Promise<string>;

/** Returns the containers of a server: one, unless there is a fault. */
export const containersOf = async (infra: string, server: string): Promise<string[]> =>
  (
    await docker.listContainers({
      all: true,
      filters: { label: [`provisioning.infra=${infra}`, `provisioning.name=${server}`, 'provisioning.kind=server'] },
    })
  ).map(({ Id }) => Id);

/** Pauses all processes of a server: it accepts connections and does not answer. */
export const pauseHost = async (infra: string, server: string): Promise<void> => {
  for (const id of await containersOf(infra, server)) await docker.getContainer(id).pause();
};

export const unpauseHost = async (infra: string, server: string): Promise<void> => {
  for (const id of await containersOf(infra, server)) await docker.getContainer(id).unpause();
};

/** Returns a direct shell on a server, without the platform. */
export function shellOf(infra: string, server: string): HostShell {
  return async (script) => {
    const [id] = await containersOf(infra, server);
    if (!id) throw new Error(`no container of ${infra}/${server}`);
    return execIn(id, script);
  };
}

export async function execIn(id: string, script: string): Promise<string> {
  const exec = await docker
    .getContainer(id)
    .exec({ Cmd: ['bash', '-euo', 'pipefail', '-c', script], AttachStdout: true, AttachStderr: true });
  const stream = await exec.start({});
  const output = { stdout: [] as string[], stderr: [] as string[] };
  await new Promise<void>((resolve, reject) => {
    const sink = (lines: string[]) => ({ write: (chunk: Buffer) => lines.push(chunk.toString('utf8')) });
    docker.modem.demuxStream(stream, sink(output.stdout) as never, sink(output.stderr) as never);
    stream.once('end', resolve).once('error', reject);
  });
  const { ExitCode } = await exec.inspect();
  if (ExitCode !== 0) throw new Error(`"${script}" ended with ${ExitCode}: ${output.stderr.join('').slice(-500)}`);
  return output.stdout.join('').trim();
}

/** Counts how often each package was installed, from the host's own log. */
export async function installsOf(shell: HostShell): Promise<Record<string, number>> {
  const log = await shell('cat /var/log/dpkg.log 2>/dev/null || true');
  const counts: Record<string, number> = {};
  for (const [, name = ''] of log.matchAll(/^\S+ \S+ install (\S+?):\S+ <none>/gm)) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

/** Returns steps that were started more than once, from the host's journals. */
export async function repeatedSteps(shell: HostShell): Promise<string[]> {
  const lines = (await shell('cd /var/lib/provisioning/operations 2>/dev/null && grep -r . --include=steps . || true'))
    .split('\n')
    .filter(Boolean);
  const starts = lines.filter((line) => line.includes(':start '));
  return starts.filter((line, index) => starts.indexOf(line) !== index);
}
