import { askAt, type ListenAddress, secretAs, type Text } from '../../sdk/index.js';
import type { Container, ContainersConfig } from './containers-config.js';

/** By this line units that were made here are known. */
export const MARK = '# Written by provisioning (containers); changes by hand are undone.';

export const unitOf = (name: string): string => `container-${name}`;
export const unitPath = (name: string): string => `/etc/systemd/system/${unitOf(name)}.service`;
export const envPath = (name: string): string => `/etc/provisioning-containers/${name}.env`;

/** One word of a systemd command line, with every special character escaped. */
const word = (text: string): string => `"${text.replace(/[\\"]/g, '\\$&').replaceAll('%', '%%').replaceAll('$', '$$$$')}"`;

const publish = (ports: Container['ports'], listening: (endpoint: string) => ListenAddress): string[] =>
  ports.flatMap(({ name, host, container, local }) => {
    const at = local ? 'loopback' : listening(name);
    return ['--publish', at === 'all' ? `${host}:${container}` : `${askAt(at)}:${host}:${container}`];
  });

export const isOnHostNetwork = (options: readonly string[]): boolean => options.includes('--network=host');

/** Arguments of podman. Values of variables are in a file, because every user of the host can see arguments. */
export function argumentsOf(
  name: string,
  container: Container,
  { options }: Pick<ContainersConfig, 'options'>,
  listening: (endpoint: string) => ListenAddress,
): string[] {
  const { image, command = [], ports, volumes, env, user, memory, readOnly, capabilities } = container;
  const noLimits = options.some((option) => option.startsWith('--cgroups='));
  const ownNetwork = !isOnHostNetwork(options);
  return [
    'run',
    ...['--name', name, '--replace', '--rm', '--pull', 'never', '--log-driver', 'journald'],
    ...['--security-opt', 'no-new-privileges', '--cap-drop', 'all'],
    ...capabilities.flatMap((capability) => ['--cap-add', capability]),
    ...(noLimits ? [] : ['--cgroups=split', '--memory', String(memory), '--pids-limit', '4096']),
    ...(readOnly ? ['--read-only', '--read-only-tmpfs'] : []),
    ...(user ? ['--user', user] : []),
    ...(Object.keys(env).length > 0 ? ['--env-file', envPath(name)] : []),
    ...(ownNetwork ? publish(ports, listening) : []),
    ...volumes.flatMap(({ from, to, readOnly }) => ['--volume', `${from}:${to}:${readOnly ? 'ro' : 'rw'}`]),
    ...options,
    image,
    ...command,
  ];
}

/** A unit whose process is the container's own: it ends with it, and systemd starts it again. */
export function unitFile(
  name: string,
  container: Container,
  config: Pick<ContainersConfig, 'options'>,
  listening: (endpoint: string) => ListenAddress,
): string {
  const args = argumentsOf(name, container, config, listening);
  return [
    MARK,
    '[Unit]',
    `Description=Container ${name} of ${container.image}`,
    'Wants=network-online.target',
    'After=network-online.target',
    '',
    '[Service]',
    `Restart=${container.restart}`,
    'RestartSec=2',
    'TimeoutStartSec=120',
    'Delegate=yes',
    `ExecStart=/usr/bin/podman ${args.map(word).join(' ')}`,
    `ExecStop=/usr/bin/podman stop --ignore --time 20 ${name}`,
    `ExecStopPost=-/usr/bin/podman rm --force --ignore ${name}`,
    '',
    '[Install]',
    'WantedBy=multi-user.target',
    '',
  ].join('\n');
}

/** Podman takes each line as it is. */
export const envFile = ({ env }: Container): Text => [
  `${MARK}\n`,
  ...Object.entries(env).flatMap(([name, value]) => [
    `${name}=`,
    typeof value === 'string' ? value : secretAs('container-environment', value),
    '\n',
  ]),
];
