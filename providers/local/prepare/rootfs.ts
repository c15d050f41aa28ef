/** Raise it with any change below: hosts of an older image stay as they are, and new hosts get the new image. */
export const RECIPE = 1;

/** Additional file in the host image. */
interface RootFile {
  path: string;
  content: string;
}

/** Packages of a host: those in a cloud's Debian image, on which facts, health checks and taskservs rely. */
export const PACKAGES = [
  'systemd',
  'systemd-sysv',
  'dbus',
  'openssh-server',
  'sudo',
  'curl',
  'ca-certificates',
  'iproute2',
  'procps',
  'nftables',
] as const;

/** Units that wait for hardware, run at odd hours or cannot work in a container. */
export const MASKED_UNITS = [
  'apt-daily.timer',
  'apt-daily-upgrade.timer',
  'console-getty.service',
  'dev-hugepages.mount',
  'dev-mqueue.mount',
  'dpkg-db-backup.timer',
  'e2scrub_all.timer',
  'e2scrub_reap.service',
  'fstrim.timer',
  'getty.target',
  'proc-sys-fs-binfmt_misc.automount',
  'sys-fs-fuse-connections.mount',
  'sys-kernel-config.mount',
  'sys-kernel-debug.mount',
  'sys-kernel-tracing.mount',
  'systemd-logind.service',
  'systemd-modules-load.service',
  'systemd-networkd.service',
  'systemd-remount-fs.service',
  'systemd-udev-trigger.service',
  'systemd-udevd.service',
  'systemd-udevd-control.socket',
  'systemd-udevd-kernel.socket',
  'systemd-update-utmp.service',
  'systemd-update-utmp-runlevel.service',
] as const;

export const FILES: readonly RootFile[] = [
  {
    // Kernels without user namespaces refuse services that require one.
    path: '/etc/systemd/system/service.d/10-container.conf',
    content: '[Service]\nPrivateUsers=no\n',
  },
  {
    path: '/etc/ssh/sshd_config.d/10-provisioning.conf',
    content: [
      'HostKey /etc/ssh/ssh_host_ed25519_key',
      'PermitRootLogin prohibit-password',
      'PasswordAuthentication no',
      'UseDNS no',
      'MaxStartups 100:30:200',
      '',
    ].join('\n'),
  },
  { path: '/etc/apt/apt.conf.d/90-host', content: 'Acquire::Languages "none";\n' },
  {
    // A container's disk is as durable as the machine's; dpkg's syncs only cost time.
    path: '/etc/dpkg/dpkg.cfg.d/90-host',
    content: 'force-unsafe-io\n',
  },
  // Without a locale, PostgreSQL would create SQL_ASCII databases.
  { path: '/etc/default/locale', content: 'LANG=C.UTF-8\n' },
  { path: '/etc/machine-id', content: '' },
  { path: '/etc/hostname', content: 'host\n' },
];

/** Files removed from the image: identities, and leftovers of debootstrap. */
export const REMOVED_FILES = [
  '/etc/ssh/ssh_host_*',
  '/var/lib/dbus/machine-id',
  '/var/lib/systemd/random-seed',
  '/var/cache/apt/pkgcache.bin',
  '/var/cache/apt/archives/*.deb',
  '/var/log/bootstrap.log',
  '/etc/resolv.conf',
] as const;
