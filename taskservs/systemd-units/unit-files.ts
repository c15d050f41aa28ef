import { encodeSecret, managedFileHeader, secretAs, type Text } from '../../sdk/index.js';
import type { Unit } from './units-config.js';

/** By this line units that were made here are known. */
export const MARK = managedFileHeader('#', 'systemd-units');

const FOLDER = '/etc/systemd/system';
export const servicePath = (name: string): string => `${FOLDER}/${name}.service`;
export const timerPath = (name: string): string => `${FOLDER}/${name}.timer`;
export const environmentPath = (name: string): string => `/etc/provisioning-units/${name}.env`;

/** The unit that keeps it running: itself or its timer. */
export const runsBy = ({ name, schedule }: Unit): string => (schedule === undefined ? name : `${name}.timer`);

const hardening = ({ port = 65_535 }: Unit): string[] => [
  ...(port < 1024
    ? ['AmbientCapabilities=CAP_NET_BIND_SERVICE', 'CapabilityBoundingSet=CAP_NET_BIND_SERVICE']
    : ['CapabilityBoundingSet=']),
  'NoNewPrivileges=yes',
  'ProtectSystem=strict',
  'ProtectHome=yes',
  'PrivateTmp=yes',
  'PrivateDevices=yes',
  'ProtectClock=yes',
  'ProtectControlGroups=yes',
  'ProtectHostname=yes',
  'ProtectKernelLogs=yes',
  'ProtectKernelModules=yes',
  'ProtectKernelTunables=yes',
  'LockPersonality=yes',
  'RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK',
  'RestrictNamespaces=yes',
  'RestrictRealtime=yes',
  'RestrictSUIDSGID=yes',
  'SystemCallArchitectures=native',
  'UMask=0027',
];

/** To systemd a percent sign begins a word of its own. */
const plain = (text: string): string => text.replaceAll('%', '%%');

export function serviceFile(unit: Unit): string {
  const { name, description = name, command, user, directory, environment, restart, schedule, write, hardened } = unit;
  return [
    MARK,
    '[Unit]',
    `Description=${plain(description.replace(/\\+$/, ''))}`,
    'Wants=network-online.target',
    'After=network-online.target',
    '',
    '[Service]',
    ...(schedule === undefined ? [`Restart=${restart}`, 'RestartSec=2'] : ['Type=oneshot']),
    ...(user === undefined ? ['DynamicUser=yes'] : [`User=${user}`]),
    `StateDirectory=${name}`,
    ...(directory ? [`WorkingDirectory=${directory}`] : []),
    ...(Object.keys(environment).length > 0 ? [`EnvironmentFile=${environmentPath(name)}`] : []),
    ...write.map((path) => `ReadWritePaths=${path}`),
    ...(hardened ? hardening(unit) : []),
    `ExecStart=${plain(command)}`,
    ...(schedule === undefined ? ['', '[Install]', 'WantedBy=multi-user.target'] : []),
    '',
  ].join('\n');
}

export const timerFile = ({ name, schedule = '' }: Unit): string => `${MARK}
[Unit]
Description=${name} at set times

[Timer]
OnCalendar=${schedule}
AccuracySec=1s
Persistent=true

[Install]
WantedBy=timers.target
`;

export const environmentFile = ({ environment }: Unit): Text => [
  `${MARK}\n`,
  ...Object.entries(environment).flatMap(([name, value]) => [
    `${name}=`,
    typeof value === 'string' ? encodeSecret('environment-file', value) : secretAs('environment-file', value),
    '\n',
  ]),
];
