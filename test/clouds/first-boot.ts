import type { TarEntry } from '../../providers/local/docker/tar.js';

/** Subset of core/machine/cloud-init.ts that a container supports. */
interface CloudConfig {
  hostname?: string;
  ssh_keys?: { ed25519_private: string; ed25519_public: string };
  users?: (string | { name: string; ssh_authorized_keys?: string[] })[];
  write_files?: { path: string; content: string; permissions?: string }[];
  runcmd?: (string | string[])[];
}

const HEADER = '#cloud-config\n';

/**
 * Parses user data like cloud-init. Empty user data yields an empty configuration. Throws for other formats than ours.
 */
export function readUserData(userData = ''): CloudConfig {
  if (userData === '') return {};
  if (!userData.startsWith(HEADER)) throw new Error('the user data does not begin with #cloud-config');
  return JSON.parse(userData.slice(HEADER.length)) as CloudConfig;
}

const DONE = '/run/cloud-init/result.json';

/**
 * Returns the files that make a container's first boot behave like cloud-init. Keys exist before its SSH server
 * starts, and commands run once after it.
 */
export function bootFiles(config: CloudConfig, disks = false): TarEntry[] {
  const root = config.users?.find((user) => typeof user === 'object' && user.name === 'root');
  const authorized = typeof root === 'object' ? (root.ssh_authorized_keys ?? []) : [];
  const keys = config.ssh_keys;
  return [
    { path: 'root/.ssh', mode: 0o700 },
    { path: 'root/.ssh/authorized_keys', mode: 0o600, content: lines(authorized) },
    ...(keys
      ? [
          { path: 'etc/ssh/ssh_host_ed25519_key', mode: 0o600, content: lines([keys.ed25519_private]) },
          { path: 'etc/ssh/ssh_host_ed25519_key.pub', mode: 0o644, content: lines([keys.ed25519_public]) },
        ]
      : []),
    ...(config.write_files ?? []).map(({ path, content, permissions = '0644' }) => ({
      path: path.replace(/^\//, ''),
      mode: Number.parseInt(permissions, 8),
      content,
    })),
    { path: 'usr/bin/cloud-init', mode: 0o755, content: STATUS },
    { path: 'usr/local/sbin/first-boot', mode: 0o755, content: firstBoot(config, disks) },
    { path: 'etc/systemd/system/cloud-final.service', mode: 0o644, content: UNIT },
    { path: 'etc/systemd/system/multi-user.target.d', mode: 0o755 },
    { path: 'etc/systemd/system/multi-user.target.d/10-cloud.conf', mode: 0o644, content: '[Unit]\nWants=cloud-final.service\n' },
  ];
}

const lines = (texts: readonly string[]) => texts.map((text) => `${text.trimEnd()}\n`).join('');

/** Implements `cloud-init status [--wait]`. */
const STATUS = `#!/bin/sh
if [ "$2" = --wait ]; then until [ -f ${DONE} ]; do sleep 0.1; done; fi
if [ ! -f ${DONE} ]; then echo 'status: running'; exit 0; fi
if grep -q failed ${DONE}; then echo 'status: error'; exit 1; fi
echo 'status: done'
`;

// Not a oneshot: the boot would never finish while the status command waits.
const UNIT = `[Unit]
Description=What cloud-init does last
After=network.target ssh.service
[Service]
Type=exec
ExecStart=/usr/local/sbin/first-boot
StandardOutput=append:/var/log/cloud-init-output.log
StandardError=inherit
`;

function firstBoot({ hostname, runcmd = [] }: CloudConfig, disks: boolean): string {
  const all = runcmd.map((command) => commandLine(disks ? command : withoutDisk(command)));
  return [
    '#!/bin/sh',
    // Docker would resolve its host name for all others on the bridge; a cloud does not.
    ...(hostname ? [`hostname ${quoted(hostname)}; echo ${quoted(`127.0.1.1 ${hostname}`)} >>/etc/hosts`] : []),
    'mkdir -p /run/cloud-init /var/lib/cloud/instance',
    'errors=""',
    'if [ ! -f /var/lib/cloud/instance/boot-finished ]; then',
    ...all.map((line, index) => `${line} || errors="$errors \\"command ${index + 1} failed\\""`),
    'touch /var/lib/cloud/instance/boot-finished',
    'fi',
    `printf '{"v1":{"datasource":"stand-in","errors":[%s]}}' "$errors" >${DONE}.new && mv ${DONE}.new ${DONE}`,
    '',
  ].join('\n');
}

/** In a container without separate disks, a mount point is a directory. */
function withoutDisk(command: string | string[]): string | string[] {
  const text = typeof command === 'string' ? command : (command.at(-1) ?? '');
  if (!/\/dev\//.test(text.replaceAll('/dev/null', ''))) return command;
  const [, mount] = /^disk=\S+; m=(\S+)$/m.exec(text) ?? [];
  if (!mount) throw new Error(`a command of the user data uses a device, and mounts it nowhere: ${text}`);
  return ['mkdir', '-p', mount];
}

const quoted = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;
const commandLine = (command: string | string[]) =>
  typeof command === 'string' ? `sh -c ${quoted(command)}` : command.map(quoted).join(' ');
