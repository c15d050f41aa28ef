import { dirname, join } from 'node:path';

export interface ServiceUnit {
  /** `system` for root, `user` for other users. */
  scope: 'user' | 'system';
  /** The home's folder. */
  home: string;
  cache: string;
  /** Folder of this machine's data outside of the home: the wrapping key, the certificates of the engine. */
  state: string;
  /** Folder of the built code. */
  dist: string;
  /** Node's program. */
  node: string;
  /** Arguments of the API server that runs beside the worker; absent: no API server. */
  api?: readonly string[];
  /** Further variables; no secrets: everybody can read the unit. */
  env: Readonly<Record<string, string>>;
}

/** Restrictions of every service. `MemoryDenyWriteExecute` is not included, because V8 compiles at run time. */
const HARDENED = [
  'NoNewPrivileges=yes',
  'LockPersonality=yes',
  'RestrictRealtime=yes',
  'RestrictSUIDSGID=yes',
  'SystemCallArchitectures=native',
  'UMask=0077',
  'LimitCORE=0',
];

/** Restrictions that only root's service manager supports. Hosts `this` need a drop-in that lifts some of them. */
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
 * Returns the systemd unit of a home. Its main process is the supervisor, which starts the engine and the worker, and
 * the API server if the home has one. If the supervisor dies, they continue and another supervisor takes over. If the
 * service is stopped, they are drained.
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
    // The death of a supervisor must not stop the worker, which continues until the next supervisor has taken over.
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

/** Quotes a text as one word for systemd; `$` stays for a shell if it is `kept`. */
function argument(text: string, kept = false): string {
  const escaped = text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%');
  return `"${kept ? escaped : escaped.replaceAll('$', '$$$$')}"`;
}
