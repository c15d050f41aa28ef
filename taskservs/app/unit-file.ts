import { hardenedService, locateApp, managedFileHeader, NO_MACHINE_CREDENTIALS } from '../../sdk/index.js';
import type { AppConfig } from './app-config.js';
import { folderOf, releaseOf } from './release.js';

export const unitOf = (app: string, process: string): string => locateApp(app).unitOf(process);

export const unitFileOf = (unit: string): string => `/etc/systemd/system/${unit}.service`;

/** The first line of units: those of an instance are told from those of the application that has none. */
export const markOf = (instance?: string): string => managedFileHeader('#', instance === undefined ? undefined : `app@${instance}`);

/** As systemd reads a word between double quotes, in which `%` and `$` stand for something else. */
const quoted = (text: string): string =>
  `"${text
    .replaceAll(/[\\"]/g, '\\$&')
    .replaceAll('%', '%%')
    .replaceAll('$', () => '$$')}"`;

/** The unit of a process: it sees its release, may write its own data, and may do nothing else to the host. */
export function unitFile(config: AppConfig, process: string, instance?: string): string {
  const { name, port, memory } = config;
  const release = releaseOf(config);
  const command = config.processes[process]?.command ?? 'false';
  const { own, data, env } = locateApp(name);
  return `${markOf(instance)}
[Unit]
Description=${name} ${process}, release ${release}
Wants=network-online.target
After=network-online.target

[Service]
User=${own}
WorkingDirectory=${folderOf(config)}
StateDirectory=${own}
Environment=HOME=${data}
EnvironmentFile=${env}
ExecStart=/bin/sh -c ${quoted(command)}
Restart=always
RestartSec=1
MemoryMax=${memory}
${NO_MACHINE_CREDENTIALS}
${hardenedService({ privileged: port !== undefined && port < 1024 }).join('\n')}

[Install]
WantedBy=multi-user.target
`;
}
