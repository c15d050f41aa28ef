import { dirname, join } from 'node:path';

export interface ServiceUnit {
  /** `system` for root, `user` for anybody else. */
  scope: 'user' | 'system';
  /** The home's folder. */
  home: string;
  cache: string;
  /** What of this machine is outside of the home: the wrapping key, the certificates of the engine. */
  state: string;
  /** Folder of the built code. */
  dist: string;
  /** Node's program. */
  node: string;
  /** Arguments of the API server that runs beside the worker; absent: none runs. */
  api?: readonly string[];
  /** Further variables; no secrets: everybody can read the unit. */
  env: Readonly<Record<string, string>>;
}

/** What holds for every service. `MemoryDenyWriteExecute` is not among it: V8 compiles as it runs. */
const HARDENED = [
  'NoNewPrivileges=yes',
  'LockPersonality=yes',
  'RestrictRealtime=yes',
  'RestrictSUIDSGID=yes',
  'SystemCallArchitectures=native',
  'UMask=0077',
  'LimitCORE=0',
];

/** What only root's service manager can do for all. Hosts `this` need a drop-in that lifts some of it. */
const HARDENED_FOR_ROOT = [
  'ProtectSystem=strict',
  'ProtectHome=read-only',
  'PrivateTmp=yes',
  'ProtectKernelTunables=yes',
  'ProtectKernelModules=yes',
  'ProtectKernelLogs=yes',
  'ProtectControlGroups=yes',
  'ProtectClock=yes',
  'ProtectHostname=yes',
  'RestrictNamespaces=yes',
  'RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK',
];

/**
 * The unit by which systemd runs a home: its main process is the supervisor, which starts
 * engine and worker, and the API server if the home has one. Where that dies, both go on and another takes over; where the service is
 * stopped, they are drained.
 */
export function unitText({ scope, home, cache, state, dist, node, env, api }: ServiceUnit): string {
  const program = (name: string, ...args: string[]) => [node, join(dist, name), ...args].map((word) => argument(word)).join(' ');
  const variables = { PATH: `${dirname(node)}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`, ...env };
  return `${[
    '[Unit]',
    `Description=Provisioning: engine and worker${api ? ', API server' : ''} of ${home.replaceAll('%', '%%')}`,
    ...(scope === 'system' ? ['Wants=network-online.target', 'After=network-online.target'] : []),
    'StartLimitIntervalSec=0',
    '',
    '[Service]',
    'Type=exec',
    `ExecStart=${program('supervisor.js', '--service', `--supervises=${home}`, ...(api ? ['--api', ...api.map((option) => `--api=${option}`)] : []))}`,
    // A supervisor that died is no order to stop: the worker goes on until the next one has taken over.
    `ExecStop=/bin/sh -c ${argument(`[ -z "$MAINPID" ] || exec "$0" "$1" down`, true)} ${program('engine.js')}`,
    'KillMode=process',
    'Restart=on-failure',
    'RestartSec=2',
    'TimeoutStopSec=90',
    ...Object.entries({ ...variables, PROVISIONING_HOME: home, PROVISIONING_CACHE: cache, XDG_STATE_HOME: dirname(state) }).map(
      ([name, value]) => `Environment=${argument(`${name}=${value}`, true)}`,
    ),
    `EnvironmentFile=-${join(home, 'service.env').replaceAll('%', '%%')}`,
    ...HARDENED,
    ...(scope === 'system'
      ? [...HARDENED_FOR_ROOT, `ReadWritePaths=${argument(home, true)} ${argument(cache, true)} ${argument(state, true)}`]
      : []),
    '',
    '[Install]',
    `WantedBy=${scope === 'system' ? 'multi-user.target' : 'default.target'}`,
  ].join('\n')}\n`;
}

/** As systemd reads it as one word; `$` stays for a shell where it is `kept`. */
function argument(text: string, kept = false): string {
  const escaped = text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%');
  return `"${kept ? escaped : escaped.replaceAll('$', '$$$$')}"`;
}
