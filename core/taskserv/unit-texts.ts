import { sh } from '../host/shell.js';

/** A timer of systemd that starts the service of its name; what was missed while the host was off is made up for. */
export const timerFile = (description: string, schedule: string, { delay }: { delay: string }): string => `[Unit]
Description=${description}

[Timer]
OnCalendar=${schedule}
RandomizedDelaySec=${delay}
Persistent=true

[Install]
WantedBy=timers.target
`;

/**
 * Lines of `[Service]` that keep a service from the files of others, and from more rights than it began with.
 *
 * @param devices whether it sees the devices of its host
 */
export const confinedService = ({ devices }: { devices: boolean }): string[] => [
  'NoNewPrivileges=yes',
  ...(devices ? [] : ['PrivateDevices=yes']),
  'PrivateTmp=yes',
  'ProtectHome=yes',
  'ProtectSystem=strict',
];

/**
 * Lines of `[Service]` for a service that reads its files, writes its data, and changes nothing else on its host.
 *
 * @param privileged it binds ports below 1024
 * @param families socket families beside IP and Unix
 */
export function hardenedService({ privileged, families = [] }: { privileged: boolean; families?: readonly string[] }): string[] {
  const binds = privileged ? 'CAP_NET_BIND_SERVICE' : '';
  return [
    `CapabilityBoundingSet=${binds}`,
    `AmbientCapabilities=${binds}`,
    'LockPersonality=yes',
    'NoNewPrivileges=yes',
    'PrivateDevices=yes',
    'PrivateTmp=yes',
    'ProtectControlGroups=yes',
    'ProtectHome=yes',
    'ProtectKernelModules=yes',
    'ProtectKernelTunables=yes',
    'ProtectSystem=strict',
    `RestrictAddressFamilies=${['AF_INET', 'AF_INET6', 'AF_UNIX', ...families].join(' ')}`,
    'RestrictNamespaces=yes',
    'RestrictSUIDSGID=yes',
    'SystemCallArchitectures=native',
  ];
}

/**
 * Script that fails if an `EnvironmentFile=` has a line that systemd or a shell reads as anything but one variable: a
 * secret in single quotes may contain one, or a line end.
 */
export const checkEnvironmentFile = (path: string): string =>
  sh`if grep -qvE ${`^(#.*|[A-Za-z_][A-Za-z0-9_]*=("([^"\\\\]|\\\\.)*"|'[^']*'|[]A-Za-z0-9_.,:=/*?[-]*))?$`} ${path}; then
  echo 'a secret of the environment has a quote or more than one line, which cannot stand there'
  exit 1
fi`;
