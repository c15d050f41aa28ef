import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type Docker from 'dockerode';
import { messageOf, type Reporter, unreachableError } from '../../../sdk/index.js';
import { formatSources } from './apt-sources.js';
import { aptSettings, machineSources } from './machine-apt.js';
import { FILES, MASKED_UNITS, PACKAGES, REMOVED_FILES } from './rootfs.js';
import { runProgram } from './run-program.js';

const TASK = 'host image';
/** Phases in the output of debootstrap, with the completed share at the start of each (measured once). */
const PHASES: readonly [RegExp, number, string][] = [
  [/Retrieving (\S+)/, 0.05, 'downloads'],
  [/Extracting (\S+)/, 0.3, 'unpacks'],
  [/Unpacking (\S+)/, 0.45, 'unpacks'],
  [/Configuring (\S+)/, 0.65, 'configures'],
];

/**
 * Builds the image of a host from the machine's Debian archive, and imports it as `tag`. It needs root, about a minute,
 * and 400 MB in the temporary folder.
 *
 * @param release a Debian release (`bookworm`), which may be newer than this machine's
 * @throws unreachableError `image-build-failed` with the last output of debootstrap
 */
export async function buildImage(docker: Docker, tag: string, release: string, report: Reporter): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'provisioning-host-'));
  try {
    const root = join(folder, 'root');
    await bootstrap(root, release, report);
    report({ task: TASK, text: 'sets it up', fraction: 0.8, state: 'running' });
    await furnish(root, release);
    report({ task: TASK, text: 'imports it', fraction: 0.9, state: 'running' });
    await importImage(docker, root, tag);
  } catch (error) {
    throw unreachableError(
      { code: 'image-build-failed', what: 'make the host image', on: tag, why: messageOf(error).slice(-600) },
      { cause: error },
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function bootstrap(root: string, release: string, report: Reporter): Promise<void> {
  const mirror = (await machineSources(release)).find(({ suites }) => suites.includes(release));
  const verification = mirror?.trusted
    ? ['--no-check-gpg']
    : mirror?.signedBy?.startsWith('/')
      ? [`--keyring=${mirror.signedBy}`]
      : [];
  const child = runProgram(
    'debootstrap',
    ['--variant=minbase', `--include=${PACKAGES.join(',')}`, ...verification, release, root, ...(mirror?.uris.slice(0, 1) ?? [])],
    { all: true, env: { DEBIAN_FRONTEND: 'noninteractive' }, buffer: false, reject: false },
  );
  let tail: string[] = [];
  let fraction = 0;
  for await (const line of child.iterable({ from: 'all' })) {
    tail = [...tail.slice(-4), line];
    const phase = PHASES.find(([pattern]) => pattern.test(line));
    if (!phase) continue;
    // Some packages are unpacked after others were configured: progress never decreases.
    fraction = Math.max(fraction, phase[1]);
    report({ task: TASK, text: `${phase[2]} ${phase[0].exec(line)?.[1] ?? ''}`, fraction, state: 'running' });
  }
  const { exitCode } = await child;
  if (exitCode !== 0) throw new Error(`debootstrap ended with ${exitCode}: ${tail.join('; ')}`);
}

/** Writes apt's sources and our files, masks units, and downloads the package lists. */
async function furnish(root: string, release: string): Promise<void> {
  const inRoot = (command: string, ...args: string[]) =>
    runProgram('chroot', [root, command, ...args], { env: { DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C.UTF-8' }, all: true });
  const sources = await machineSources(release);
  if (sources.length > 0) {
    await rm(join(root, 'etc/apt/sources.list'), { force: true });
    await put(root, '/etc/apt/sources.list.d/debian.sources', formatSources(sources));
  }
  const keyrings = sources.flatMap(({ signedBy }) => (signedBy?.startsWith('/') ? [signedBy] : []));
  const authorities = (await readdir('/usr/local/share/ca-certificates').catch(() => [])).map(
    (name) => `/usr/local/share/ca-certificates/${name}`,
  );
  for (const path of [...(await aptSettings()), ...authorities]) {
    await cp(path, join(root, path), { recursive: true, force: true, preserveTimestamps: true });
  }
  // A release has its own keyring: this machine's keyring may be older.
  for (const path of keyrings) await cp(path, join(root, path), { force: false });
  if (authorities.length > 0) await inRoot('update-ca-certificates');
  for (const { path, content } of FILES) await put(root, path, content);
  await cp('/etc/resolv.conf', join(root, 'etc/resolv.conf'), { dereference: true, force: true });
  await inRoot('apt-get', 'update', '-qq');
  await inRoot('systemctl', 'mask', '--quiet', ...MASKED_UNITS);
  await inRoot('systemctl', 'set-default', '--quiet', 'multi-user.target');
  await inRoot('sh', '-c', `rm -rf ${REMOVED_FILES.join(' ')}`);
}

async function put(root: string, path: string, content: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), content);
}

async function importImage(docker: Docker, root: string, tag: string): Promise<void> {
  const tar = runProgram('tar', ['--create', '--numeric-owner', '--one-file-system', '--directory', root, '.'], {
    encoding: 'buffer',
    buffer: false,
  });
  const [repo, version] = tag.split(':');
  const changes = ['CMD ["/sbin/init"]', 'ENV container=docker', 'LABEL provisioning.kind=image'];
  const answer = await docker.importImage(tar.readable(), { repo, tag: version, changes });
  await new Promise<void>((resolve, reject) => {
    docker.modem.followProgress(answer, (error: Error | null) => (error ? reject(error) : resolve()));
  });
  await tar;
}
